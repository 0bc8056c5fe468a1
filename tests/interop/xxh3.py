# sketchutils: BSD-2-Clause, see LICENSE
"""XXH3-64 with a seed, in plain Python, from the public specification.

Slow and short: it shares nothing with the C library, so that an error in
either shows. All lengths; numbers are little-endian.
"""
import struct

MASK = (1 << 64) - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def rotate(x, n):
    return (x << n | x >> (64 - n)) & MASK


def swap(x, size):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MASK


def avalanche(x):
    x ^= x >> 37
    x = x * MX1 & MASK
    return x ^ x >> 32


def avalanche_xxh64(x):
    x ^= x >> 33
    x = x * P64_2 & MASK
    x ^= x >> 29
    x = x * P64_3 & MASK
    return x ^ x >> 32


def mix(data, at, secret_at, seed):
    return fold(u64(data, at) ^ (u64(SECRET, secret_at) + seed & MASK),
                u64(data, at + 8) ^ (u64(SECRET, secret_at + 8) - seed & MASK))


def up_to_16(data, seed):
    n = len(data)
    if n == 0:
        return avalanche_xxh64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        both = data[n - 1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        return avalanche_xxh64(((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & MASK) ^ both)
    if n <= 8:
        seed ^= swap(seed & 0xFFFFFFFF, 4) << 32
        both = u32(data, n - 4) | u32(data, 0) << 32
        x = ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & MASK) ^ both
        x ^= rotate(x, 49) ^ rotate(x, 24)
        x = x * MX2 & MASK
        x ^= (x >> 35) + n
        x = x * MX2 & MASK
        return x ^ x >> 28
    low = ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & MASK) ^ u64(data, 0)
    high = ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & MASK) ^ u64(data, n - 8)
    return avalanche(n + swap(low, 8) + high + fold(low, high) & MASK)


def up_to_240(data, seed):
    n = len(data)
    acc = n * P64_1
    if n <= 128:
        for i in range((n - 1 >> 5) + 1):
            acc += mix(data, i * 16, i * 32, seed)
            acc += mix(data, n - i * 16 - 16, i * 32 + 16, seed)
        return avalanche(acc & MASK)
    for i in range(8):
        acc += mix(data, i * 16, i * 16, seed)
    acc = avalanche(acc & MASK)
    for i in range(8, n >> 4):
        acc += mix(data, i * 16, (i - 8) * 16 + 3, seed)
    return avalanche(acc + mix(data, n - 16, 119, seed) & MASK)


def seeded_secret(seed):
    words = struct.unpack("<24Q", SECRET)
    return struct.pack("<24Q", *(
        (w - seed if i % 2 else w + seed) & MASK for i, w in enumerate(words)))


def over_240(data, seed):
    secret = seeded_secret(seed)
    n = len(data)
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    keys = [struct.unpack_from("<8Q", secret, 8 * i) for i in range(16)]

    def accumulate(at, key):
        lanes = struct.unpack_from("<8Q", data, at)
        for i in range(8):
            x = lanes[i] ^ key[i]
            acc[i ^ 1] = acc[i ^ 1] + lanes[i] & MASK
            acc[i] = acc[i] + (x & 0xFFFFFFFF) * (x >> 32) & MASK

    scramble = struct.unpack_from("<8Q", secret, 128)
    blocks = (n - 1) // 1024
    for block in range(blocks):
        for i in range(16):
            accumulate(block * 1024 + i * 64, keys[i])
        for i in range(8):
            acc[i] = (acc[i] ^ acc[i] >> 47 ^ scramble[i]) * P32_1 & MASK
    for i in range((n - blocks * 1024 - 1) // 64):
        accumulate(blocks * 1024 + i * 64, keys[i])
    accumulate(n - 64, struct.unpack_from("<8Q", secret, 121))

    merge = struct.unpack_from("<8Q", secret, 11)
    result = n * P64_1
    for i in range(0, 8, 2):
        result += fold(acc[i] ^ merge[i], acc[i + 1] ^ merge[i + 1])
    return avalanche(result & MASK)


def xxh3_64(data, seed=0):
    if len(data) <= 16:
        return up_to_16(data, seed)
    if len(data) <= 240:
        return up_to_240(data, seed)
    return over_240(data, seed)
