#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ringside {

/// Why a request could not be met; decides the exit status of the command line.
enum class ErrorKind {
  wrong,    ///< it ran, and something is wrong (exit 1)
  request,  ///< the request makes no sense (exit 2)
  machine,  ///< this machine lacks what was asked for (exit 3)
};

/// One clear sentence: what, where, what was expected, how to say it right.
struct Error {
  ErrorKind kind = ErrorKind::request;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> bad_request(std::string message) {
  return tl::unexpected<Error>(Error{ErrorKind::request, std::move(message)});
}
inline tl::unexpected<Error> gone_wrong(std::string message) {
  return tl::unexpected<Error>(Error{ErrorKind::wrong, std::move(message)});
}
inline tl::unexpected<Error> machine_lacks(std::string message) {
  return tl::unexpected<Error>(Error{ErrorKind::machine, std::move(message)});
}

}  // namespace ringside

/// Returns the error of a Result-valued expression from the enclosing function, if it has one.
#define RS_TRY(expression)                                         \
  do {                                                             \
    if (auto&& rs_result = (expression); !rs_result)               \
      return tl::unexpected<::ringside::Error>(rs_result.error()); \
  } while (false)
/// `RS_ASSIGN(auto x, f())`: x is the value of f(), or the enclosing function returns f()'s error.
#define RS_CONCAT_(a, b) a##b
#define RS_CONCAT(a, b) RS_CONCAT_(a, b)
#define RS_ASSIGN(declaration, expression) \
  RS_ASSIGN_(declaration, expression, RS_CONCAT(rs_result_, __LINE__))
#define RS_ASSIGN_(declaration, expression, name)                    \
  auto name = (expression);                                          \
  if (!name) return tl::unexpected<::ringside::Error>(name.error()); \
  declaration = *std::move(name)
