import { randomUUID } from 'node:crypto';
import type { Json, Person } from './person.js';
import { Receiver, type Received } from './receiver.js';
import { done, peopleOf, type People, WorkspaceScene } from './workspace-scene.js';
import type { World } from './world.js';

/** An endpoint: its record with the secret, the path at its receiver, and the path of its routes. */
export interface RegisteredWebhook {
  id: string;
  secret: string;
  path: string;
  base: string;
  [field: string]: Json;
}

/** A workspace whose events are sent to a receiver, and the endpoints that a test has registered. */
export class WebhookScene {
  private registered: string[] = [];

  private constructor(
    readonly world: World,
    readonly people: People,
    readonly scene: WorkspaceScene,
    readonly receiver: Receiver,
  ) {}

  static async make(world: World): Promise<WebhookScene> {
    const people = await peopleOf(world);
    return new WebhookScene(world, people, await WorkspaceScene.make(world, people), await Receiver.start());
  }

  /** The path of the endpoints of the workspace. */
  get hooks(): string {
    return `${this.scene.path}/webhooks`;
  }

  /** Registers an endpoint at a path of its own, at the receiver unless `url` is that of another server. */
  async register(
    { url = this.receiver.url, ...fields }: Json = {},
    by: Person = this.people.admin,
    hooks = this.hooks,
  ): Promise<RegisteredWebhook> {
    const path = `/${randomUUID()}`;
    const made = await done(by.post(hooks, { events: ['design.*'], ...fields, url: url + path }));
    const base = `${hooks}/${made.id}`;
    this.registered.push(base);
    return { ...made, path, base };
  }

  /** Makes a design, which is an event. */
  readonly design = (name: string): Promise<Json> => this.scene.design(this.people.editor, name);

  /** The log of an endpoint, the oldest first. */
  readonly deliveries = async ({ base }: RegisteredWebhook): Promise<Json[]> =>
    (await done(this.world.admin.get(`${base}/deliveries?pagesize=500&order=created_at asc`))).deliveries;

  readonly received = ({ path }: RegisteredWebhook): Received[] => this.receiver.at(path);

  /** Removes the endpoints, and lets the receiver answer 204 again. */
  async reset(): Promise<void> {
    for (const path of this.registered.splice(0)) await this.world.admin.delete(path);
    this.receiver.answer = (response) => void response.writeHead(204).end();
  }

  /** To be called once the server has stopped. */
  stop(): Promise<void> {
    return this.receiver.stop();
  }
}
