/* Network byte order. */
#include "model.h"
#include <arpa/inet.h>
#undef htonl
#undef htons
#undef ntohl
#undef ntohs

uint32_t htonl(uint32_t n)
{
	return __builtin_bswap32(n);
}
M_ALIAS(ntohl, htonl);

uint16_t htons(uint16_t n)
{
	return __builtin_bswap16(n);
}
M_ALIAS(ntohs, htons);
