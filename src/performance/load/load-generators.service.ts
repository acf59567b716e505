import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { findExecutable } from '../../core/find-executable.js';
import {
  LOAD_GENERATORS,
  LOAD_MODELS,
  type LoadGenerator,
  type LoadModel,
  type Protocol,
  PROTOCOLS,
} from './load-plan.js';

/** The requirements of a run for its generator. */
export interface GeneratorWish {
  /** In the order of preference. */
  wanted: readonly string[];
  endpoint: string;
  protocol: Protocol;
  model: LoadModel;
  connections: number;
  /** Whether requests carry headers or cookies. */
  hasSecrets: boolean;
}

type Needs = Omit<GeneratorWish, 'wanted'>;

/** The capabilities of a generator. */
export interface GeneratorAbilities {
  protocols: readonly Protocol[];
  models: readonly LoadModel[];
  /** At a time. */
  connections: number;
  /** Whether its requests carry headers and cookies. */
  carriesHeaders: boolean;
  /** Whether it uses HTTP/2 only after TLS negotiation (ALPN). */
  needsTlsForHttp2: boolean;
}

/** A generator, and whether it is available on this server. */
export interface KnownGenerator extends GeneratorAbilities {
  name: LoadGenerator;
  isInstalled: boolean;
}

/** Each connection of k6 has its own JavaScript engine of about 0.3 MB. */
const MAX_K6_CONNECTIONS = 1_000;

const ABILITIES: Record<LoadGenerator, GeneratorAbilities> = {
  autocannon: {
    ...{ protocols: ['http/1.1'], models: LOAD_MODELS, connections: Infinity },
    ...{ carriesHeaders: true, needsTlsForHttp2: false },
  },
  // It measures from sending, and takes headers only as arguments, which other users of the machine can read.
  fortio: {
    ...{ protocols: PROTOCOLS, models: ['closed'], connections: Infinity },
    ...{ carriesHeaders: false, needsTlsForHttp2: false },
  },
  k6: {
    ...{ protocols: PROTOCOLS, models: LOAD_MODELS, connections: MAX_K6_CONNECTIONS },
    ...{ carriesHeaders: true, needsTlsForHttp2: true },
  },
};

/** The purpose of installable generators, for the remedy of GENERATOR_UNAVAILABLE. */
const REMEDIES = {
  fortio: 'the load model closed without headers and cookies',
  k6: `at most ${MAX_K6_CONNECTIONS} connections, and for http/2 an https address`,
};

/** The load generators that this server has. */
@Injectable()
export class LoadGeneratorsService {
  constructor(private readonly env: Env) {}

  /** Lists all known generators with their limits, in the order of preference. */
  list(): KnownGenerator[] {
    const { LIMIT_PERFORMANCE_CONNECTIONS: bound } = this.env;
    return LOAD_GENERATORS.map((name) => {
      const connections = Math.min(ABILITIES[name].connections, bound);
      return { name, isInstalled: this.isInstalled(name), ...ABILITIES[name], connections };
    });
  }

  /** Selects the first preferred generator that meets the requirements, otherwise any. @throws InvalidRequest GENERATOR_UNAVAILABLE */
  choose({ wanted, ...needs }: GeneratorWish): LoadGenerator {
    const able = LOAD_GENERATORS.filter((name) => this.isInstalled(name) && isAble(ABILITIES[name], needs));
    const chosen = wanted.find((name): name is LoadGenerator => able.includes(name as LoadGenerator)) ?? able[0];
    if (chosen) return chosen;
    const { protocol } = needs;
    const installed = (['fortio', 'k6'] as const).filter((name) => this.isInstalled(name));
    throw new InvalidRequest(`this server has no load generator for this profile (${protocol})`, {
      code: 'GENERATOR_UNAVAILABLE',
      errors: [{ pointer: '/protocol', detail: 'needs another load generator' }],
      remedy:
        installed.length > 0
          ? `Use the protocol http/1.1; or for ${protocol} ${installed.map((name) => REMEDIES[name]).join('; or ')}.`
          : 'Use the protocol http/1.1, or ask the operator to install k6 or fortio and to set K6_BIN or FORTIO_BIN.',
    });
  }

  /** Returns the path of a generator's program; undefined for the built-in generator, and when it is not installed. */
  findProgram(generator: LoadGenerator): string | undefined {
    const programs = { autocannon: undefined, fortio: this.env.FORTIO_BIN, k6: this.env.K6_BIN };
    const program = programs[generator];
    return program === undefined ? undefined : findExecutable(program);
  }

  private isInstalled(generator: LoadGenerator): boolean {
    return generator === 'autocannon' || this.findProgram(generator) !== undefined;
  }
}

function isAble(abilities: GeneratorAbilities, { protocol, endpoint, model, connections, hasSecrets }: Needs): boolean {
  return (
    abilities.protocols.includes(protocol) &&
    abilities.models.includes(model) &&
    connections <= abilities.connections &&
    (abilities.carriesHeaders || !hasSecrets) &&
    (protocol !== 'http/2' || endpoint.startsWith('https:') || !abilities.needsTlsForHttp2)
  );
}
