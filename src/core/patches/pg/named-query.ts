import pg from 'pg';
import { speedPatches } from '../speed.js';

/** The driver's parser for the rows of a result. */
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

/** The driver copies a configuration object, the alternative, with all its property descriptors. */
const DriverQueryBase = pg.Query as unknown as new (
  text: string,
  values: unknown[],
  callback: Callback,
) => DriverQuery & pg.Submittable;

/** The number of prepared statements per connection; other statements are planned on each call. */
const MAX_PREPARED = 250;

/** Caches the row descriptions of the prepared statements of one connection. */
export class RowReaders {
  readonly byName = new Map<string, RowReader>();
  private readonly names = new Set<string>();
  private undescribed: pg.Connection | undefined;

  /** Reports whether the connection has prepared the statement, or may prepare it. */
  admits(name: string): boolean {
    if (this.names.size < MAX_PREPARED) this.names.add(name);
    return this.names.has(name);
  }

  /** The same connection without Describe messages. */
  withoutDescribing(connection: pg.Connection): pg.Connection {
    return (this.undescribed ??= Object.create(connection, { describe: { value: () => undefined } }) as pg.Connection);
  }
}

/**
 * A prepared statement. Extends the driver's query (pg 8), which asks for the description of the rows on every call;
 * it does not change while the statement is prepared, so only the first call on a connection requests and parses it.
 * Saves a message each way and the parsers of the columns; not measured on its own.
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
    if (!known || !speedPatches.areApplied) return super.prepare(connection);
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
