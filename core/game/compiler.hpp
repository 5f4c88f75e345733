// What compilers name differently: reversal of bytes, prefetching, aligned memory, numbers from text.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#if defined(_MSC_VER)
#include <intrin.h>
#include <stdlib.h>
#endif
#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#include <stdlib.h>

#include <string>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace sparring {

/// The bytes of a word in reverse order.
inline std::uint64_t reversed_bytes(std::uint64_t word) {
#if defined(_MSC_VER)
    return _byteswap_uint64(word);
#else
    return __builtin_bswap64(word);
#endif
}

/// Loads the cache line of an address that is about to be read. Does nothing where compilers have no name for
/// it.
inline void prefetch([[maybe_unused]] const void* address) {
#if !defined(_MSC_VER)
    __builtin_prefetch(address);
#elif defined(_M_X64)
    _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#endif
}

/// The same for an address that is about to be written.
inline void prefetch_to_write([[maybe_unused]] void* address) {
#if !defined(_MSC_VER)
    __builtin_prefetch(address, 1);
#else
    prefetch(address);
#endif
}

/// Reads a decimal number at the beginning of a text, as std::from_chars does. libc++ before version 20 has
/// no std::from_chars for real numbers: there strtod reads it, in the locale "C".
inline std::errc read_real(std::string_view text, double& number) {
#if defined(__cpp_lib_to_chars)
    return std::from_chars(text.data(), text.data() + text.size(), number).ec;
#else
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::string_view rest = text.substr(sign);
    const bool fraction = rest.size() > 1 && rest[0] == '.' && digit(rest[1]);
    if (rest.empty() || !(digit(rest[0]) || fraction)) return std::errc::invalid_argument;
    // Hexadecimal numbers are not read: the text ends before their x.
    const std::string copy(text.substr(0, text.find_first_not_of("+-.0123456789eE")));
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    const double value = strtod_l(copy.c_str(), nullptr, plain);
    if (value > 1.7976931348623157e308 || value < -1.7976931348623157e308)
        return std::errc::result_out_of_range;
    number = value;
    return std::errc();
#endif
}

}  // namespace sparring
