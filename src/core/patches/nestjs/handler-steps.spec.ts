import 'reflect-metadata';
import type { CanActivate, PipeTransform } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { ExternalContextCreator } from '@nestjs/core/helpers/external-context-creator.js';
import { of } from 'rxjs';
import { speedPatches } from '../speed.js';
import { runHandlerStepsAtOnce } from './handler-steps.js';

const { areApplied } = speedPatches;
speedPatches.areApplied = true;
runHandlerStepsAtOnce();
speedPatches.areApplied = areApplied;
const steps = RouterExecutionContext.prototype;
const handler = (): void => undefined;

const guard = (answer: () => ReturnType<CanActivate['canActivate']>): CanActivate => ({ canActivate: answer });

const run = (...guards: CanActivate[]): unknown => steps.createGuardsFn(guards, {}, handler, 'http')?.([]);

const pipe = (change: (value: number) => unknown): PipeTransform => ({ transform: change });

function take(value: unknown, shared: PipeTransform[], own: PipeTransform[], type = RouteParamtypes.QUERY) {
  const parameter = { index: 0, type, data: '', pipes: own, extractValue: () => value };
  const args: unknown[] = [null];
  return { args, pending: steps.createPipesFn(shared, [parameter])?.(args, {}, {}, handler) };
}

describe('guards', () => {
  it('that answer at once leave nothing to wait for', () => {
    expect(run(guard(() => true))).toBeUndefined();
    expect(run()).toBeUndefined();
  });

  it.each([
    ['at once', () => false],
    ['with a promise', () => Promise.resolve(false)],
    ['with an observable', () => of(false)],
  ])('that refuse %s stop those after them', async (_, refuse) => {
    const last = jest.fn(() => true);
    const judged = Promise.resolve().then(() =>
      run(
        guard(() => true),
        guard(refuse),
        guard(last),
      ),
    );
    await expect(judged).rejects.toThrow('Forbidden resource');
    expect(last).not.toHaveBeenCalled();
  });

  it('are asked one after another', async () => {
    const order: number[] = [];
    const later = guard(() => Promise.resolve().then(() => order.push(1) > 0));
    await run(
      later,
      guard(() => order.push(2) > 0),
    );
    expect(order).toEqual([1, 2]);
  });

  it('that fail, fail the call', async () => {
    const fail = guard(() => Promise.reject(new Error('no answer')));
    await expect(run(fail)).rejects.toThrow('no answer');
  });
});

describe('pipes', () => {
  it('that answer at once leave nothing to wait for, the shared ones first', () => {
    const { args, pending } = take(2, [pipe((n) => n + 1)], [pipe((n) => n * 10)]);
    expect(pending).toBeUndefined();
    expect(args).toEqual([30]);
  });

  it('are given what promises before them answer', async () => {
    const { args, pending } = take(Promise.resolve(2), [pipe((n) => Promise.resolve(n + 1))], [pipe((n) => n * 10)]);
    await pending;
    expect(args).toEqual([30]);
  });

  it('fail the call with the first fault', async () => {
    const fail = pipe(() => {
      throw new Error('not a number');
    });
    await expect(take(2, [fail], []).pending).rejects.toThrow('not a number');
    await expect(take(Promise.resolve(2), [], [fail]).pending).rejects.toThrow('not a number');
  });

  it('are not run on what is no value of the request', () => {
    const response = { then: handler };
    const { args, pending } = take(response, [pipe(() => 'changed')], [], RouteParamtypes.RESPONSE);
    expect(pending).toBeUndefined();
    expect(args[0]).toBe(response);
  });
});

it('takes the place of methods that NestJS calls', () => {
  for (const steps of [RouterExecutionContext, ExternalContextCreator])
    for (const name of ['createPipesFn', 'createGuardsFn']) expect(String(steps)).toContain(`this.${name}(`);
});
