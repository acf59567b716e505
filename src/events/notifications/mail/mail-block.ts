import { NO_MAIL_DOMAIN, type User } from '../../../organizations/users/user.entity.js';

/** Why a user gets no mail: another user chose the password and nobody confirmed the address, no address, or no person. */
export const MAIL_BLOCKS = ['unconfirmed', 'no_address', 'service_account'] as const;
export type MailBlock = (typeof MAIL_BLOCKS)[number];

/** Why a user gets no mail; null for those who do. */
export function findMailBlock({ kind, email, unconfirmedBy }: User): MailBlock | null {
  if (kind !== 'person') return 'service_account';
  if (email.endsWith(NO_MAIL_DOMAIN)) return 'no_address';
  return unconfirmedBy === null ? null : 'unconfirmed';
}
