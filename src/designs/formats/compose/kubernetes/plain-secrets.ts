/** Names of variables that hold a secret; those that end with `_FILE` hold the path of one. */
const SECRET_NAME =
  /(?:PASSWORD|PASSWD|PASSPHRASE|(?:^|_)(?:PWD|PASS|SECRET|TOKEN|(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION)_?KEY|CREDENTIALS?))$/i;
/** A user and a password in an address. */
const ADDRESS_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:[^\s/@]+@/i;
/** Settings about secrets, rather than secrets. */
const SWITCH = /^(?:true|false|yes|no|on|off|[01])?$/i;

/** Whether a variable holds a password, a token or the like as plain text. */
export function holdsPlainSecret(name: string, value: string): boolean {
  return (SECRET_NAME.test(name) && !SWITCH.test(value)) || ADDRESS_WITH_PASSWORD.test(value);
}
