/** Where the database of this process is, whether it was given or is the embedded one. */
export class DatabaseUrl {
  constructor(readonly service: string) {}
}
