import process from 'node:process';

/** The environment that has a program written in Go trust the authorities of certificates that the operator has added for Node.js. */
export function trustedAuthorities(): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
  return authorities === undefined ? {} : { SSL_CERT_FILE: authorities };
}
