import { isIP } from 'node:net';
import { AppError, InvalidRequest } from '../errors/app-error.js';
import { LINK_LOCAL } from './address-rules.js';

/** 400 `OUTBOUND_REFUSED`: the server does not call this address. */
export function outboundRefused(host: string, detail: string, remedy?: string): InvalidRequest {
  return new InvalidRequest(`The address is refused: ${detail}`, {
    code: 'OUTBOUND_REFUSED',
    remedy:
      remedy ??
      'Use a public http or https address, or ask the operator to add the range of the address to OUTBOUND_ALLOW.',
    extensions: { host },
  });
}

/** The same error for a blocked host or a name that resolves to a blocked address; `reason` is from AddressRules. */
export const addressRefused = (host: string, reason: string): InvalidRequest =>
  outboundRefused(
    host,
    isIP(host) ? `${host} ${reason}` : `${host} resolves to an address that ${reason}`,
    reason === LINK_LOCAL ? 'Use another address: link-local and metadata addresses are never called.' : undefined,
  );

/** Runs a call or check of an address in a request field; a refusal names the field. */
export async function callAddressIn<T>(pointer: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof AppError && error.code === 'OUTBOUND_REFUSED' ? error.atField(pointer) : error;
  }
}
