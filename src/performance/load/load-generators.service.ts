import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { Conflict } from '../../core/errors/app-error.js';
import type { LoadGenerator, Protocol } from './load-plan.js';

/** What a run wants of its generator. */
export interface GeneratorWish {
  /** In the order of preference. */
  wanted: readonly string[];
  protocol: Protocol;
  /** Whether requests carry headers or cookies, which fortio takes on its command line, where others on the machine read them. */
  hasSecrets: boolean;
}

/** The load generators that this server has. */
@Injectable()
export class LoadGeneratorsService {
  constructor(private readonly env: Env) {}

  /** The first of those that are wanted, else the one that is always there. @throws Conflict GENERATOR_UNAVAILABLE */
  choose({ wanted, protocol, hasSecrets }: GeneratorWish): LoadGenerator {
    const able = this.listAble(protocol).filter((name) => name !== 'fortio' || !hasSecrets);
    const chosen = wanted.find((name): name is LoadGenerator => able.includes(name as LoadGenerator)) ?? able[0];
    if (chosen) return chosen;
    throw new Conflict('GENERATOR_UNAVAILABLE', `this server has no load generator for this profile (${protocol})`, {
      errors: [{ pointer: '/protocol', detail: `needs another load generator` }],
      remedy: 'Use the protocol http/1.1, or ask the operator to install fortio or k6 and to set FORTIO_BIN or K6_BIN.',
    });
  }

  /** The path of a program; undefined for the generator that is a part of this server. */
  findProgram(generator: LoadGenerator): string | undefined {
    const { FORTIO_BIN, K6_BIN } = this.env;
    return { autocannon: undefined, fortio: FORTIO_BIN, k6: K6_BIN }[generator];
  }

  private listAble(protocol: Protocol): LoadGenerator[] {
    const programs = (['fortio', 'k6'] as const).filter((name) => this.findProgram(name) !== undefined);
    return protocol === 'http/1.1' ? ['autocannon', ...programs] : programs;
  }
}
