import { startDatabase } from '../support/database.js';
import { compare } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';

const PRODUCT = import.meta.resolve('../support/product.js');
const BARE = import.meta.resolve('./bare.js');
const CALLS = 1000;

const database = await startDatabase();
try {
  const settings = production(database.url);
  const product = await startServer(PRODUCT, settings);
  const token = await signIn(product.url);
  const counting = await startServer(PRODUCT, { ...settings, BENCH_STATEMENTS: 'on' });
  const call = async (): Promise<void> => {
    const { status } = await fetch(`${counting.url}/api/bench/guarded`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (status !== 200) throw new Error(`the guarded route answered ${status}`);
  };
  await call();
  const cold = (await counting.ask('statements')) as string[];
  for (let calls = 0; calls < CALLS; calls++) await call();
  const warm = (await counting.ask('statements')) as string[];
  console.log(`\nStatements: ${cold.length} for the first call with a token, ${warm.length} for the next ${CALLS}`);
  await counting.stop();

  const logging = await startServer(PRODUCT, { ...settings, LOG_LEVEL: 'info' });
  const bare = await startServer(BARE, { NODE_ENV: 'production' });
  const limited = await startServer(PRODUCT, { ...settings, RATE_LIMIT: 'on', LIMIT_REQUESTS_PER_MINUTE: '100000000' });
  const open = { paths: ['/api/bench/open'] };
  const guarded = { paths: ['/api/bench/guarded'], token };
  await compare('Guard: a route that says hello, open and behind the guard', database, [
    { name: 'bare NestJS on Express', server: bare, ...open },
    { name: 'open', server: product, ...open },
    { name: 'guarded', server: product, ...guarded },
    { name: 'open, LOG_LEVEL=info', server: logging, ...open },
    { name: 'guarded, LOG_LEVEL=info', server: logging, ...guarded },
    { name: 'guarded, calls limited', server: limited, ...guarded },
  ]);
  await Promise.all([bare.stop(), product.stop(), logging.stop(), limited.stop()]);
} finally {
  await database.stop();
}
