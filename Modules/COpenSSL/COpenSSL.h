// The parts of OpenSSL's libcrypto that tags need and Swift Crypto does not have: DES and the
// short curves of originality signatures.
#if __has_include(<openssl/evp.h>)
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/des.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <openssl/x509.h>

/// Initializes libcrypto. To be called before its first use, and any number of times.
///
/// Unlike by default, libcrypto does not free its algorithms when the process ends (OPENSSL_init_crypto(3),
/// OPENSSL_INIT_NO_ATEXIT): a thread that uses one then would end the process with SIGSEGV. This has no effect
/// if the program has initialized libcrypto before.
static inline void COpenSSL_initialize(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

/// A key of the curve P-256 from a point and, for a private key, its number; NULL if they are none. A builder keeps
/// the addresses of what it is given, which Swift cannot promise to be the same later.
static inline EVP_PKEY *COpenSSL_newP256Key(const unsigned char *point, size_t count, const BIGNUM *number) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  if (builder != NULL && context != NULL &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1 &&
      (number == NULL || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1) &&
      (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, number == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, parameters);
  OSSL_PARAM_free(parameters);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

/// The prime, the order and the generator of a group of RFC 5114 by its name in libcrypto, such as dh_1024_160; 0 if it
/// is not known. Whoever asks frees the numbers.
static inline int COpenSSL_modularGroup(const char *name, BIGNUM **prime, BIGNUM **order, BIGNUM **generator) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "DHX", NULL);
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)name, 0),
                             OSSL_PARAM_construct_end()};
  int isDone = context != NULL && EVP_PKEY_paramgen_init(context) == 1 &&
               EVP_PKEY_CTX_set_params(context, parameters) == 1 && EVP_PKEY_paramgen(context, &key) == 1 &&
               EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_FFC_P, prime) == 1 &&
               EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_FFC_Q, order) == 1 &&
               EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_FFC_G, generator) == 1;
  EVP_PKEY_free(key);
  EVP_PKEY_CTX_free(context);
  return isDone;
}

/// A new cipher context of the initialized library, or NULL.
static inline EVP_CIPHER_CTX *COpenSSL_newCipherContext(void) {
  COpenSSL_initialize();
  return EVP_CIPHER_CTX_new();
}
#else
#error "openssl/evp.h is missing: sudo apt-get install libssl-dev"
#endif
