import { type Armature, ArmatureError, type DeploymentView } from '@armature/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, type ExitCode, Failure, exitCodeOf } from './failure.js';
import { cellOf, count, cut } from './output.js';
import { describeFault, labelOf } from './plan-view.js';
import type { Run } from './run.js';
import { escapeControls, styled, type Style, type Terminal } from './terminal.js';

const ENDED = new Set(['succeeded', 'failed', 'rolled_back', 'undeployed', 'cancelled']);
const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 1500;
/** How long a server that does not respond is waited for. */
const GIVE_UP_AFTER_MS = 300_000;

/** Follows a deployment to its end, or until it waits for people. */
export async function follow(run: Run, armature: Armature, deployment: DeploymentView): Promise<DeploymentView> {
  const { terminal } = run;
  const view: ProgressView = terminal.canRedraw ? new LiveView(terminal) : new LineView(terminal);
  const sayThatItGoesOn = (): void => {
    view.end();
    terminal.say(
      `The deployment goes on. Follow it with "armature get deployment ${deployment.id}", or "armature events --follow";\n` +
        `cancel it with "armature api POST /api/deployments/${deployment.id}/cancel".`,
    );
  };
  const stop = onInterrupt(sayThatItGoesOn);
  terminal.say(`Deployment ${deployment.id}`);
  let current = deployment;
  let lastResponse = Date.now();
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.3, LONGEST_PAUSE_MS)) {
      view.show(current);
      if (ENDED.has(current.status) || current.status === 'pending_approval') return current;
      await sleep(pause);
      try {
        current = await armature.getDeployment({ path: { id: deployment.id } });
        lastResponse = Date.now();
      } catch (error) {
        if (!isPassing(error) || Date.now() - lastResponse > GIVE_UP_AFTER_MS) throw error;
      }
    }
  } catch (error) {
    sayThatItGoesOn();
    throw error;
  } finally {
    view.end();
    stop();
  }
}

/** Whether the server may respond again soon, such as after its restart. */
const isPassing = (error: unknown): boolean =>
  error instanceof ArmatureError && [0, 429, 502, 503, 504].includes(error.status);

/** Says something before Ctrl-C ends the program. */
function onInterrupt(say: () => void): () => void {
  const end = (): void => {
    say();
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', end);
  return () => process.off('SIGINT', end);
}

interface ProgressView {
  show(deployment: DeploymentView): void;
  end(): void;
}

type Resource = DeploymentView['resources'][number];

const STYLES: Partial<Record<Resource['status'], Style>> = {
  failed: 'red',
  waiting: 'yellow',
  deleting: 'yellow',
  ready: 'green',
  applied: 'green',
  deleted: 'green',
  pending: 'dim',
  unchanged: 'dim',
};

const describe = (resource: Resource): string => {
  const word = styled(STYLES[resource.status] ?? 'bold', resource.status.replace('_', ' '));
  const message = resource.error ? describeFault(resource.error) : resource.message;
  return `${labelOf(resource)}: ${word}${message ? ` – ${message}` : ''}`;
};

/** A line for each change, for logs. */
class LineView implements ProgressView {
  private readonly shown = new Map<string, string>();
  private status = '';

  constructor(private readonly terminal: Terminal) {}

  show({ status, queue_position: position, resources }: DeploymentView): void {
    const now = position === null ? status : `${status}, ${position} in the queue`;
    if (now !== this.status) this.terminal.say(now.replace('_', ' '));
    this.status = now;
    for (const resource of resources) {
      const key = `${resource.connection_id} ${resource.api_version} ${labelOf(resource)}`;
      const line = describe(resource);
      if (this.shown.get(key) === line || resource.status === 'pending') continue;
      this.shown.set(key, line);
      this.terminal.say(`  ${line}`);
    }
  }

  end(): void {
    this.status = '';
  }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MOST_LINES = 12;

/** Redraws what is under way, with a summary below. */
class LiveView implements ProgressView {
  private lines = 0;
  private frame = 0;
  private last: DeploymentView | null = null;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly terminal: Terminal) {
    this.timer = setInterval(() => this.draw(), 100);
    this.timer.unref();
  }

  show(deployment: DeploymentView): void {
    this.last = deployment;
    this.draw();
  }

  end(): void {
    clearInterval(this.timer);
    if (this.lines > 0) this.terminal.draw(this.erase(), '');
    this.lines = 0;
  }

  private erase(): string {
    return this.lines > 0 ? `\u001b[${this.lines}A\r\u001b[J` : '';
  }

  private draw(): void {
    if (!this.last) return;
    const { resources, status, queue_position: position } = this.last;
    const active = resources.filter(({ status: own }) => ['waiting', 'deleting', 'failed'].includes(own));
    const done = resources.filter(({ status: own }) => !['pending', 'waiting', 'deleting'].includes(own)).length;
    const more = active.length - MOST_LINES;
    const place = position === null ? '' : `, ${position} in the queue`;
    const lines = [
      ...active.slice(0, MOST_LINES).map((resource) => `  ${describe(resource)}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
      `${FRAMES[this.frame++ % FRAMES.length]} ${status.replace('_', ' ')}${place}: ${done} of ${count(resources.length, 'resource')}`,
    ].map((line) => cut(escapeControls(cellOf(line)), this.terminal.messageWidth - 1));
    this.terminal.draw(this.erase(), `${lines.join('\n')}\n`);
    this.lines = lines.length;
  }
}

/** With which code a command about a deployment ends. @throws Failure when it failed without being rolled back */
export function assertEnd(deployment: DeploymentView): ExitCode {
  const { status, id, error } = deployment;
  if (status === 'rolled_back') return EXIT.rolledBack;
  if (status === 'pending_approval') return EXIT.waits;
  if (status !== 'failed' && status !== 'cancelled') return EXIT.done;
  const detail = error ? `: ${error.detail} [${error.code}]` : '';
  throw new Failure(
    `deployment ${id} ${status === 'failed' ? 'failed' : 'was cancelled'}${detail}`,
    error?.remedy ?? `Look at it with "armature get deployment ${id}".`,
    error && status === 'failed' ? exitCodeOf(error.status, error.code) : EXIT.failed,
    faultsOf(deployment),
  );
}

/** What went wrong with which resource. */
export const faultsOf = ({ resources }: DeploymentView): string[] =>
  resources.filter(({ error }) => error).map((resource) => `${labelOf(resource)}: ${describeFault(resource.error)}`);
