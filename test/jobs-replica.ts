import type { INestApplication } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeApp } from '../src/app.setup.js';
import { Actor } from '../src/core/access/actor.js';
import { Env } from '../src/core/config/env.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import type { Job, NewJob } from '../src/jobs/job.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import type { Jobs } from '../src/jobs/jobs.js';
import type { World } from './support/world.js';

export const system = Actor.system('a test');

/** Another replica of the world's server, on the same database. */
export async function startReplica(world: World, settings: Partial<JobSettings> = {}): Promise<INestApplication> {
  const app = await makeApp(world.app.get(Env), world.get(DatabaseUrl).service);
  Object.assign(app.get(JobSettings), settings);
  return app.init();
}

/** Waits until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await condition()); await sleep(10))
    if (Date.now() > deadline) throw new Error(`this did not come true: ${condition.toString()}`);
}

/** A promise and what keeps it. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

export function enqueue(jobs: Jobs, queue: string, fields: Partial<NewJob> = {}): Promise<Job> {
  return jobs.enqueue(system, { queue, payload: {}, organizationId: null, ...fields });
}
