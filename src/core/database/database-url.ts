/** The URL of the database of this process, external or embedded. */
export class DatabaseUrl {
  constructor(readonly href: string) {}

  /** Host and port, as shown in logs. */
  get hostAndPort(): string {
    const { hostname, port, searchParams } = new URL(this.href);
    return searchParams.get('host') ?? `${hostname || 'localhost'}:${port || 5432}`;
  }
}
