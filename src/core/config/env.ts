import { z } from 'zod';
import { hasSecret, type SettingFault, resolveSecretFiles } from './secret-files.js';
import { isPredictable, isPredictableKey } from './secret-strength.js';
import {
  addressRanges,
  choice,
  commaSeparatedList,
  databaseUrl,
  delay,
  duration,
  flag,
  image,
  integer,
  isPem,
  key32,
  onOff,
  origins,
  previousKeys,
  publicUrl,
  readableFile,
  sender,
  signingKey,
  trustedProxies,
  url,
} from './env-values.js';
import { trimTextEnd } from '../trim-text.js';

const MB = 1024 * 1024;

/** Every environment variable of the server, with its default and validation; `.env.example` documents the same list. */
export const envVariables = {
  NODE_ENV: choice(['development', 'test', 'production']).default('development'),
  PORT: integer(0, 65_535).default(9081),
  HOST: z.string().default('127.0.0.1'),
  BASE_URL: publicUrl.optional(),
  SHUTDOWN_DELAY: delay(15).optional(),
  TRUST_PROXY: trustedProxies.default('false'),
  CORS_ORIGINS: origins.default([]),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_SERVICE_URL: databaseUrl.optional(),
  DATABASE_POOL: integer(2, 200).default(10),
  DATA_DIR: z.string().default('./.data'),
  REDIS_URL: url(['redis:', 'rediss:']).optional(),
  ADMIN_EMAIL: z.email('must be an e-mail address').optional(),
  ADMIN_PASSWORD: z.string().optional(),
  JWT_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  JWT_PRIVATE_KEY: signingKey.optional(),
  JWT_PREVIOUS_KEYS: previousKeys.default([]),
  ACCESS_TOKEN_TTL: duration.default(3600),
  REFRESH_TOKEN_TTL: duration.default(30 * 86_400),
  OIDC_ISSUER: url(['http:', 'https:']).optional(),
  OIDC_AUDIENCE: z.string().optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_TRUST_EMAIL: flag.default(false),
  ENCRYPTION_KEY: key32.optional(),
  ENCRYPTION_PREVIOUS_KEYS: commaSeparatedList.pipe(z.array(key32)).default([]),
  REGISTRY_ANONYMOUS_READ: flag.default(false),
  OUTBOUND_ALLOW: addressRanges.default([]),
  OUTBOUND_CONNECTIONS: choice(['private', 'public']).default('private'),
  CLUSTER_INSECURE_TLS: flag.default(false),
  CLUSTER_WATCH: onOff.default(true),
  RATE_LIMIT: onOff.default(true),
  LIMIT_REQUESTS_PER_MINUTE: integer().default(300),
  LIMIT_WRITES_PER_MINUTE: integer().default(120),
  LIMIT_SIGN_IN_FAILURES: integer().default(10),
  LIMIT_SOCKETS_PER_USER: integer().default(20),
  LIMIT_BODY_BYTES: integer().default(5 * MB),
  LIMIT_PUBLIC_BODY_BYTES: integer().default(16 * 1024),
  LIMIT_RESPONSE_BYTES: integer().default(10 * MB),
  LIMIT_RESPONSES_BYTES: integer().default(64 * MB),
  LIMIT_UPLOAD_BYTES: integer().default(50 * MB),
  LIMIT_WORKER_BYTES: integer(64 * MB).default(384 * MB),
  LIMIT_WORKERS_BYTES: integer(256 * MB).default(3072 * MB),
  LIMIT_CLUSTER_RESOURCES: integer().default(100_000),
  LIMIT_PERFORMANCE_RATE: integer(1, 1_000_000).default(2_000),
  LIMIT_PERFORMANCE_CONNECTIONS: integer(1, 10_000).default(200),
  LIMIT_PERFORMANCE_SECONDS: integer(1, 86_400).default(300),
  LIMIT_PERFORMANCE_RUNS: integer(1, 100).default(4),
  LIMIT_PERFORMANCE_ORGANIZATION_RUNS: integer(1, 100).default(2),
  APPROVAL_TTL: duration.default(72 * 3600),
  SMTP_URL: url(['smtp:', 'smtps:']).optional(),
  MAIL_FROM: sender.optional(),
  HELM_BIN: z.string().optional(),
  KUSTOMIZE_BIN: z.string().optional(),
  FORTIO_BIN: z.string().optional(),
  K6_BIN: z.string().optional(),
  OPERATOR_MANIFEST: readableFile.optional(),
  OPERATOR_IMAGE: image.default('docker.io/meshery/meshery-operator:stable-latest'),
  BROKER_IMAGE: image.default('docker.io/library/nats:2.11-alpine'),
  MESHSYNC_IMAGE: image.default('docker.io/meshery/meshsync:stable-latest'),
  ADAPTER_IMAGES: commaSeparatedList
    .pipe(
      z.array(
        z.string().regex(/^[a-z][a-z0-9-]*=[\w.:/@-]+$/, 'must have names and images, such as istio=example/istio:1'),
      ),
    )
    .default([]),
  OPERATOR_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
    .default('meshery'),
  PROGRAM_ISOLATION: choice(['auto', 'require']).default('auto'),
  GRAPHQL_PLAYGROUND: onOff.optional(),
  CONSOLE: onOff.default(true),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_FORMAT: choice(['json', 'pretty']).optional(),
  AUDIT_FORWARD: url(['syslog:', 'syslog+tls:', 'syslog+udp:', 'otlp+http:', 'otlp+https:']).optional(),
  EVENT_RETENTION: duration.refine((seconds) => seconds >= 86_400, 'must be at least 1d').default(365 * 86_400),
  AUDIT_RETENTION: duration.refine((seconds) => seconds >= 86_400, 'must be at least 1d').optional(),
};

type Settings = { [Name in keyof typeof envVariables]: z.infer<(typeof envVariables)[Name]> };

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type -- the schema above is the one list of the fields
export interface Env extends Settings {}

/** The validated settings of this process. Only this class reads `process.env`. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Env {
  private constructor(settings: Settings) {
    Object.assign(this, settings);
  }

  /**
   * @param found faults that were found earlier, such as in the file .env
   * @throws InvalidEnvironment listing every invalid variable with its rule
   */
  static parse(environment: Record<string, string | undefined>, found: readonly SettingFault[] = []): Env {
    const { source, faults } = resolveSecretFiles(environment);
    faults.unshift(...found);
    const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
    const settings: Record<string, unknown> = {};
    for (const [name, rule] of Object.entries(envVariables)) {
      const { success, data, error } = rule.safeParse(given[name]);
      if (success) settings[name] = data;
      else
        faults.push(...[...new Set(error.issues.map(({ message }) => message))].map((message) => ({ name, message })));
    }
    const named = new Set(faults.map(({ name }) => name));
    faults.push(...crossFieldFaults(settings, environment, source).filter(({ name }) => !named.has(name)));
    if (faults.length > 0) throw new InvalidEnvironment(faults);
    return new Env(settings as Settings);
  }

  get isProduction(): boolean {
    return this.NODE_ENV === 'production';
  }

  /** How long a stopping process keeps serving, so that load balancers can route requests elsewhere. */
  get shutdownDelayMs(): number {
    return (this.SHUTDOWN_DELAY ?? (this.isProduction ? 5 : 0)) * 1000;
  }

  /** The public URL of this server, without a trailing slash. */
  get baseUrl(): string {
    return trimTextEnd(
      this.BASE_URL ?? `http://${this.HOST === '0.0.0.0' ? 'localhost' : this.HOST}:${this.PORT}`,
      /\//,
    );
  }
}

/** Reported at start: one line per invalid variable. */
export class InvalidEnvironment extends Error {
  constructor(faults: readonly SettingFault[]) {
    super(['These settings are wrong:', ...faults.map(({ name, message }) => `  ${name} ${message}`)].join('\n'));
    this.name = 'InvalidEnvironment';
  }
}

/** Faults in combinations of settings that are valid on their own; invalid settings are undefined here. */
function crossFieldFaults(
  env: Partial<Settings>,
  given: Record<string, string | undefined>,
  source: Record<string, string | undefined>,
): SettingFault[] {
  const faults: SettingFault[] = [];
  const fault = (name: string, message: string): void => void faults.push({ name, message });
  const has = (name: keyof Settings): boolean => hasSecret(given, name);
  if (env.NODE_ENV === 'production') {
    if (!has('JWT_SECRET') && !has('JWT_PRIVATE_KEY'))
      fault('JWT_SECRET', `is required in production: ${GENERATE_SECRET}`);
    if (env.JWT_SECRET && isPredictable(env.JWT_SECRET)) fault('JWT_SECRET', `is too predictable: ${GENERATE_SECRET}`);
    if (env.JWT_PREVIOUS_KEYS?.some((key) => !isPem(key) && isPredictable(key)))
      fault('JWT_PREVIOUS_KEYS', 'has a secret that is too predictable: leave it out, and its tokens end');
    if (!has('ENCRYPTION_KEY')) fault('ENCRYPTION_KEY', `is required in production: ${GENERATE_SECRET}`);
    if (env.ENCRYPTION_KEY && isPredictableKey(source['ENCRYPTION_KEY'] ?? '', env.ENCRYPTION_KEY))
      fault('ENCRYPTION_KEY', `is too predictable: ${GENERATE_SECRET}`);
    if (env.JWT_SECRET && env.JWT_SECRET === source['ENCRYPTION_KEY'])
      fault('ENCRYPTION_KEY', `must differ from JWT_SECRET: ${GENERATE_SECRET}`);
    if (env.METRICS_TOKEN && isPredictable(env.METRICS_TOKEN, 6))
      fault('METRICS_TOKEN', `is too predictable: ${GENERATE_SECRET}`);
    if (env.ADMIN_PASSWORD !== undefined && (env.ADMIN_PASSWORD.length < 8 || isPredictable(env.ADMIN_PASSWORD, 5)))
      fault('ADMIN_PASSWORD', 'is too weak for production: at least 8 characters, and none of the usual ones');
  }
  if (has('DATABASE_SERVICE_URL') && !has('DATABASE_URL'))
    fault('DATABASE_SERVICE_URL', 'needs DATABASE_URL, whose user migrates the same database: set both or neither');
  if (env.LIMIT_WORKER_BYTES && env.LIMIT_WORKERS_BYTES && env.LIMIT_WORKERS_BYTES < 4 * env.LIMIT_WORKER_BYTES)
    fault('LIMIT_WORKERS_BYTES', 'must be at least four times LIMIT_WORKER_BYTES: each lane has one worker');
  if (env.OIDC_ISSUER && !env.OIDC_AUDIENCE) fault('OIDC_AUDIENCE', 'is required when OIDC_ISSUER is set');
  if (env.OIDC_CLIENT_ID && !env.OIDC_ISSUER) fault('OIDC_CLIENT_ID', 'needs OIDC_ISSUER: set both or neither');
  if (has('OIDC_CLIENT_SECRET') && !env.OIDC_CLIENT_ID) fault('OIDC_CLIENT_SECRET', 'needs OIDC_CLIENT_ID');
  if (has('SMTP_URL') && !env.MAIL_FROM) fault('MAIL_FROM', 'is required when SMTP_URL is set');
  return faults;
}

const GENERATE_SECRET = 'openssl rand -hex 32';
