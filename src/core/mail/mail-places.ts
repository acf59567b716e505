/**
 * The mails that a process sends at once from one queue. With `shareKey: shareOf(address)` mail to one domain takes three places at
 * most, so that a domain whose server is slow does not hold up the others.
 */
export const MAIL_PLACES = { concurrency: 2, reserve: 14 };

/** The domain of an address, which shares places. */
export const shareOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
