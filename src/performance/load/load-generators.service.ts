import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import type { LoadGenerator, LoadModel, Protocol } from './load-plan.js';

/** What a run wants of its generator. */
export interface GeneratorWish {
  /** In the order of preference. */
  wanted: readonly string[];
  protocol: Protocol;
  /** Fortio measures from sending, so that it does not serve an open model. */
  model: LoadModel;
  /** Whether requests carry headers or cookies, which fortio takes on its command line, where others on the machine read them. */
  hasSecrets: boolean;
}

/** The load generators that this server has. */
@Injectable()
export class LoadGeneratorsService {
  constructor(private readonly env: Env) {}

  /** The first of those that are wanted, else the one that is always there. @throws InvalidRequest GENERATOR_UNAVAILABLE */
  choose({ wanted, ...needs }: GeneratorWish): LoadGenerator {
    const able = this.listAble(needs);
    const chosen = wanted.find((name): name is LoadGenerator => able.includes(name as LoadGenerator)) ?? able[0];
    if (chosen) return chosen;
    const { protocol } = needs;
    const installed = this.findProgram('fortio') !== undefined;
    throw new InvalidRequest(`this server has no load generator for this profile (${protocol})`, {
      code: 'GENERATOR_UNAVAILABLE',
      errors: [{ pointer: '/protocol', detail: 'needs another load generator' }],
      remedy: installed
        ? `Use the protocol http/1.1; ${protocol} is spoken with the load model closed, without headers and cookies.`
        : 'Use the protocol http/1.1, or ask the operator to install fortio and to set FORTIO_BIN.',
    });
  }

  /** The path of a program; undefined for the generator that is a part of this server, and for what is not installed. */
  findProgram(generator: LoadGenerator): string | undefined {
    return generator === 'fortio' ? this.env.FORTIO_BIN : undefined;
  }

  private listAble({ protocol, model, hasSecrets }: Omit<GeneratorWish, 'wanted'>): LoadGenerator[] {
    const isOwn = protocol === 'http/1.1';
    const isFortio = this.findProgram('fortio') !== undefined && model === 'closed' && !hasSecrets;
    return [...(isOwn ? (['autocannon'] as const) : []), ...(isFortio ? (['fortio'] as const) : [])];
  }
}
