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

/** What a run wants of its generator. */
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

/** What a generator can do. */
export interface GeneratorAbilities {
  protocols: readonly Protocol[];
  models: readonly LoadModel[];
  /** At a time. */
  connections: number;
  /** Whether its requests carry headers and cookies. */
  carriesHeaders: boolean;
  /** Whether it speaks HTTP/2 only when TLS has agreed on it. */
  needsTlsForHttp2: boolean;
}

/** A generator, and whether this server has it. */
export interface KnownGenerator extends GeneratorAbilities {
  name: LoadGenerator;
  isInstalled: boolean;
}

/** Each connection of k6 has an engine of its own, of some 0.3 MB. */
const MAX_K6_CONNECTIONS = 1_000;

const ABILITIES: Record<LoadGenerator, GeneratorAbilities> = {
  autocannon: {
    ...{ protocols: ['http/1.1'], models: LOAD_MODELS, connections: Infinity },
    ...{ carriesHeaders: true, needsTlsForHttp2: false },
  },
  // It measures from sending, and takes headers on its command line, where others on the machine read them.
  fortio: {
    ...{ protocols: PROTOCOLS, models: ['closed'], connections: Infinity },
    ...{ carriesHeaders: false, needsTlsForHttp2: false },
  },
  k6: {
    ...{ protocols: PROTOCOLS, models: LOAD_MODELS, connections: MAX_K6_CONNECTIONS },
    ...{ carriesHeaders: true, needsTlsForHttp2: true },
  },
};

/** What those that have to be installed do for protocols other than HTTP/1.1, in words that follow "use". */
const REMEDIES = {
  fortio: 'the load model closed without headers and cookies',
  k6: `at most ${MAX_K6_CONNECTIONS} connections, and for http/2 an https address`,
};

/** The load generators that this server has. */
@Injectable()
export class LoadGeneratorsService {
  constructor(private readonly env: Env) {}

  /** All that are known, with what runs by them may have; those that come first are preferred. */
  list(): KnownGenerator[] {
    const { LIMIT_PERFORMANCE_CONNECTIONS: bound } = this.env;
    return LOAD_GENERATORS.map((name) => {
      const connections = Math.min(ABILITIES[name].connections, bound);
      return { name, isInstalled: this.isInstalled(name), ...ABILITIES[name], connections };
    });
  }

  /** The first of those that are wanted, else the first that can. @throws InvalidRequest GENERATOR_UNAVAILABLE */
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

  /** The path of a program; undefined for the generator that is a part of this server, and for what is not installed. */
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
