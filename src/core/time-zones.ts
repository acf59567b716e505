const NAME = /^[A-Za-z][A-Za-z0-9]*([/_+-][A-Za-z0-9]+)*$/;

/** Reports whether this is the name of an IANA time zone, such as Europe/Berlin. */
export function isTimezone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}
