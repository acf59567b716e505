import { WordInput } from '../../core/schema/input-fields.js';
import { DiagramQuery } from '../../designs/diagram/diagram.inputs.js';
import type { DiagramOptions } from '../../designs/diagram/render-diagram.js';

const DIAGRAM_COLOURS = ['health', 'action'] as const;
export type DiagramColour = (typeof DIAGRAM_COLOURS)[number];

export class DeploymentDiagramQuery extends DiagramQuery {
  @WordInput(DIAGRAM_COLOURS, {
    optional: true,
    description:
      'What the colors show: health (the default; the action for components without one), or what the deployment does.',
  })
  colour?: DiagramColour;

  override toOptions(): DiagramOptions & { colour: DiagramColour } {
    return { ...super.toOptions(), colour: this.colour ?? 'health' };
  }
}
