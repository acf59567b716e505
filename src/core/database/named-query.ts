import pg from 'pg';

/** What the driver keeps of a result to read its rows by. */
interface RowReader {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** The internals of the driver's query that are used here. */
interface DriverQuery {
  name: string;
  _result: RowReader;
  _accumulateRows: boolean;
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: unknown): void;
}

type Callback = (error: Error | null, result: pg.QueryResult) => void;

/** A configuration object, the other form, would be copied with all its property descriptors. */
const DriverQueryBase = pg.Query as unknown as new (
  text: string,
  values: unknown[],
  callback: Callback,
) => DriverQuery & pg.Submittable;

/** Named statements whose plans one connection keeps; further ones are planned at each call. */
const MAX_PREPARED = 250;

/** The rows that the named statements of one connection answer, as PostgreSQL has described them. */
export class RowReaders {
  readonly byName = new Map<string, RowReader>();
  private readonly names = new Set<string>();
  private undescribed: pg.Connection | undefined;

  /** Whether the connection has prepared the statement, or may prepare it. */
  admits(name: string): boolean {
    if (this.names.size < MAX_PREPARED) this.names.add(name);
    return this.names.has(name);
  }

  /** The connection, to which a request to describe rows is not sent. */
  withoutDescribing(connection: pg.Connection): pg.Connection {
    return (this.undescribed ??= Object.create(connection, { describe: { value: () => undefined } }) as pg.Connection);
  }
}

/**
 * A named statement. The rows that it answers are the same for as long as it is prepared, so they are described on a connection's first
 * call only: neither is PostgreSQL asked again nor its answer read again.
 */
export class NamedQuery extends DriverQueryBase {
  constructor(
    name: string,
    text: string,
    values: unknown[],
    private readonly readers: RowReaders,
    callback: Callback,
  ) {
    super(text, values, callback);
    this.name = name;
  }

  override prepare(connection: pg.Connection): void {
    const known = this.readers.byName.get(this.name);
    if (!known) return super.prepare(connection);
    Object.assign(this._result, known);
    this._accumulateRows = true;
    super.prepare(this.readers.withoutDescribing(connection));
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.readers.byName.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}
