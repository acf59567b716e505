import { createApp } from '../../src/app.setup.js';
import { Env } from '../../src/core/config/env.js';
import { cloneDatabase, onServer, type TestDatabase } from './database.js';
import { makeTemplate } from './database-template.js';

/** The folders whose code and data decide what a first start registers. */
const REGISTRATION = ['registry', 'formats', 'validation'];

/**
 * A database as a server has left it that was started and ended once, but for its jobs: the registry knows Kubernetes, and there is
 * nobody yet. The first call of a test run makes the template.
 */
export function clonePlantedDatabase(settings: Record<string, string>): Promise<TestDatabase> {
  return cloneDatabase(({ url, template }) =>
    makeTemplate(url, { name: 'armature_planted', madeOf: REGISTRATION, from: template, fill: plant }),
  );

  async function plant(draft: string): Promise<void> {
    const app = await createApp(Env.parse(settings), draft);
    await app.init();
    await app.close();
    // A server schedules its jobs when it starts; those of the template would be due in all databases made of it.
    await onServer(draft, (client) => client.query('DELETE FROM job'));
  }
}
