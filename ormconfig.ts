import { DataSource, type Migration } from 'typeorm';
import { openDatabase } from './src/commands/with-database.js';
import { toDataSourceOptions } from './src/core/database/data-source.js';
import { changeSchema, SCHEMA_LOCK_TIMEOUT_MS, updateSchema } from './src/core/database/migrate.js';
import { entities } from './src/migrations/entities.js';
import { migrations } from './src/migrations/migrations.js';

const { url, close } = await openDatabase();

/** Changes the schema as the server does at its start, as the owner of the tables and one process at a time. */
class MigrationDataSource extends DataSource {
  override runMigrations(options?: Parameters<DataSource['runMigrations']>[0]): Promise<Migration[]> {
    if (options?.fake) throw new Error('A migration cannot be marked as executed without being executed.');
    return updateSchema(this);
  }

  override undoLastMigration(...options: Parameters<DataSource['undoLastMigration']>): Promise<void> {
    return changeSchema(this, () => super.undoLastMigration(...options));
  }

  /** What the TypeORM CLI does last. */
  override async destroy(): Promise<void> {
    await super.destroy();
    await close();
  }
}

/** For the TypeORM CLI: `npm run migration:show`, `:run`, `:revert` and `:generate`. */
export default new MigrationDataSource(
  toDataSourceOptions({ url, entities, migrations, role: 'owner', lockTimeoutMs: SCHEMA_LOCK_TIMEOUT_MS }),
);
