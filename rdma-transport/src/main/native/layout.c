// SPDX-License-Identifier: Apache-2.0
// Asserts the layouts that Java code accesses by offset. This file does not compile on platforms where they differ.
#include "native.h"

#define AT(type, field, offset) _Static_assert(offsetof(struct type, field) == offset, #type "." #field)
#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == bytes, "size of " #type)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian");
_Static_assert(sizeof(void *) == 8, "64-bit pointers");

AT(ibv_send_wr, wr_id, 0);
AT(ibv_send_wr, next, 8);
AT(ibv_send_wr, sg_list, 16);
AT(ibv_send_wr, num_sge, 24);
AT(ibv_send_wr, opcode, 28);
AT(ibv_send_wr, send_flags, 32);
AT(ibv_send_wr, imm_data, 36);
AT(ibv_send_wr, wr.rdma.remote_addr, 40);
AT(ibv_send_wr, wr.rdma.rkey, 48);
SIZE(ibv_send_wr, 128);

AT(ibv_recv_wr, wr_id, 0);
AT(ibv_recv_wr, next, 8);
AT(ibv_recv_wr, sg_list, 16);
AT(ibv_recv_wr, num_sge, 24);
SIZE(ibv_recv_wr, 32);

AT(ibv_sge, addr, 0);
AT(ibv_sge, length, 8);
AT(ibv_sge, lkey, 12);
SIZE(ibv_sge, 16);

AT(ibv_wc, wr_id, 0);
AT(ibv_wc, status, 8);
AT(ibv_wc, opcode, 12);
AT(ibv_wc, vendor_err, 16);
AT(ibv_wc, byte_len, 20);
AT(ibv_wc, imm_data, 24);
AT(ibv_wc, qp_num, 28);
AT(ibv_wc, src_qp, 32);
AT(ibv_wc, wc_flags, 36);
SIZE(ibv_wc, 48);

// The version of the DiSNI release that these natives implement. Its dispatcher accepts no other.
enum { DISNI_VERSION = 32 };

DISPATCHER(jint, getVersion) { return DISNI_VERSION; }
