"""Checks a value against a JSON schema: the keywords that the schemas of SARIF 2.1.0 (draft 4) and of findings
(docs/finding.schema.json, draft 2020-12) use. A keyword that is not known is an error, so that nothing is left
unchecked in silence.
"""
import re

IGNORED = {"$schema", "$id", "id", "title", "description", "default", "definitions", "$defs", "$comment", "examples"}
FORMATS = {
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"),
    "uri-reference": re.compile(r"([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"),
    "date-time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"),
}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def resolve(root, ref):
    if not ref.startswith("#"):
        raise ValueError(f"reference to another file: {ref}")
    at = root
    for word in ref[1:].split("/")[1:]:
        at = at[word.replace("~1", "/").replace("~0", "~")]
    return at


def check_object(value, schema, root, path, errors):
    for key in schema.get("required", []):
        if key not in value:
            errors.append(f"{path}: '{key}' is missing")
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for key, inside in value.items():
        if key in known:
            check(inside, known[key], root, f"{path}.{key}", errors)
        elif others is False:
            errors.append(f"{path}: '{key}' is not in the schema")
        elif isinstance(others, dict):
            check(inside, others, root, f"{path}.{key}", errors)


def check_array(value, schema, root, path, errors):
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
        errors.append(f"{path}: {len(value)} items")
    if schema.get("uniqueItems") and any(a == b for i, a in enumerate(value) for b in value[:i]):
        errors.append(f"{path}: items are equal")
    if "items" in schema:
        for i, inside in enumerate(value):
            check(inside, schema["items"], root, f"{path}[{i}]", errors)


def check_string(value, schema, path, errors):
    if "pattern" in schema and not re.search(schema["pattern"], value):
        errors.append(f"{path}: '{value}' does not match {schema['pattern']}")
    if "format" in schema and not FORMATS[schema["format"]].fullmatch(value):
        errors.append(f"{path}: '{value}' is not a {schema['format']}")
    if len(value) < schema.get("minLength", 0):
        errors.append(f"{path}: too short")


def check_choices(value, schema, root, path, errors):
    for word, fine in (("anyOf", lambda n: n > 0), ("oneOf", lambda n: n == 1), ("allOf", None)):
        if word not in schema:
            continue
        found = []
        for choice in schema[word]:
            inside = []
            check(value, choice, root, path, inside)
            found.append(inside)
        if fine is None:
            errors += sum(found, [])
        elif not fine(sum(not f for f in found)):
            errors.append(f"{path}: {word}: {found}")


KNOWN = IGNORED | {"$ref", "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems",
                   "maxItems", "uniqueItems", "pattern", "format", "minLength", "minimum", "maximum", "anyOf", "oneOf", "allOf"}


def check(value, schema, root, path, errors):
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"{path}: keywords that are not implemented: {unknown}")
    if "$ref" in schema:
        check(value, resolve(root, schema["$ref"]), root, path, errors)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, t) for t in types):
        errors.append(f"{path}: {value!r} is not of type {types}")
        return
    if "enum" in schema and value not in schema["enum"]:
        errors.append(f"{path}: {value!r} is not one of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        errors.append(f"{path}: {value!r} is not {schema['const']!r}")
    if isinstance(value, dict):
        check_object(value, schema, root, path, errors)
    elif isinstance(value, list):
        check_array(value, schema, root, path, errors)
    elif isinstance(value, str):
        check_string(value, schema, path, errors)
    elif is_type(value, "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            errors.append(f"{path}: {value} is out of range")
    check_choices(value, schema, root, path, errors)


def validate(value, schema):
    """The differences, as sentences; empty: it is valid."""
    errors = []
    check(value, schema, schema, "$", errors)
    return errors
