import { Controller, Get, Module } from '@nestjs/common';
import pg from 'pg';
import { AppModule } from '../../src/app.module.js';
import { getAppUrl, createApp } from '../../src/app.setup.js';
import { FirstStartService } from '../../src/auth/first-start.service.js';
import { Public } from '../../src/core/access/access.decorators.js';
import { Env } from '../../src/core/config/env.js';
import { currentRequest } from '../../src/core/telemetry/request-context.js';
import { LoopWatch } from './loop-watch.js';
import { serve } from './server.js';

/** Two routes that do nothing, so that what is measured is what stands before every route. */
@Controller('bench')
class HelloController {
  @Get('guarded')
  guarded(): { hello: string } {
    return { hello: 'world' };
  }

  @Public()
  @Get('open')
  open(): { hello: string } {
    return { hello: 'world' };
  }
}

@Module({ controllers: [HelloController] })
class HelloModule {}

/** The whole product with these two routes more; nothing else of it is changed. */
const forRoot = AppModule.forRoot.bind(AppModule);
AppModule.forRoot = (...given) => {
  const product = forRoot(...given);
  return { ...product, imports: [...(product.imports ?? []), HelloModule] };
};

/** The statements that requests have asked for since this was last read; what runs in the background does not count. */
let statements: string[] = [];
if (process.env['BENCH_STATEMENTS'] === 'on') {
  const client = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = client;
  client.query = function (...given) {
    const [first] = given as [string | { text?: string }];
    if (currentRequest()) statements.push(typeof first === 'string' ? first : (first.text ?? ''));
    return query.apply(this, given);
  };
}

/** The transactions so far, statements outside of one included. */
let transactions = 0;
{
  const open = new WeakSet<object>();
  const client = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = client;
  client.query = function (...given) {
    const [first] = given as [string | { text?: string }];
    const text = typeof first === 'string' ? first : (first.text ?? '');
    if (text === 'START TRANSACTION') open.add(this);
    if (text === 'COMMIT' || text === 'ROLLBACK') open.delete(this);
    if (!open.has(this)) transactions++;
    return query.apply(this, given);
  };
}

const watch = process.env['BENCH_STALLS'] === 'on' ? new LoopWatch() : undefined;

const env = Env.parse(process.env);
const app = await createApp(env, env.DATABASE_URL ?? '');
await app.listen(0, '127.0.0.1');
await app.get(FirstStartService).seed(() => Promise.resolve());
serve(
  await getAppUrl(app),
  () => app.close(),
  (question) => {
    if (question === 'stall') return watch?.longest();
    if (question === 'transactions') return transactions;
    const since = statements;
    statements = [];
    return since;
  },
);
