/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_HDR_PAYLOAD_FORM_H
#define INTEROP_HDR_PAYLOAD_FORM_H

/* Cookies, and offsets of the parts that hdr_payload.c draws: for that file, which
 * reads them, and for hdr_payload_write.c. */
#define SIZE_BITS 0xf0u
#define V2 0x1c849303u
#define V2_PACKED 0x1c849304u
#define V1 0x1c849301u
#define V1_PACKED 0x1c849302u
#define V0 0x1c849308u
#define V0_PACKED 0x1c849309u
#define DOUBLES 0x0c72124eu
#define DOUBLES_PACKED 0x0c72124fu

enum { HEAD = 40, HEAD_V0 = 32, HEAD_PACKED = 8, HEAD_DOUBLES = 16 };
enum { AT_LENGTH = 4, AT_DIGITS = 12, AT_LOWEST = 16, AT_HIGHEST = 24, AT_RATIO = 32 };
enum { AT_DIGITS_V0 = 4, AT_LOWEST_V0 = 8, AT_HIGHEST_V0 = 16 };

#define COUNTER_BYTES 9          /* of the longest */

#endif
