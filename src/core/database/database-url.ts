/** Where the database of this process is, whether it was given or is the embedded one. */
export class DatabaseUrl {
  constructor(readonly service: string) {}

  /** Host and port, as they may be told in logs. */
  get place(): string {
    const { hostname, port, searchParams } = new URL(this.service);
    return searchParams.get('host') ?? `${hostname || 'localhost'}:${port || 5432}`;
  }
}
