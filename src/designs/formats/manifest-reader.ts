import { type Fault } from '../../core/errors/app-error.js';
import { ComponentSeries, resourceIdentity } from '../../formats/design-file/design-component.js';
import { type DesignComponent } from '../../formats/design-file/design-file.js';
import { type FaultList } from '../../formats/sources/fault-list.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { asObject, asText } from '../../core/json/json.js';
import {
  findResourceFaults,
  locatedFault,
  type LocatedResource,
  readResources,
  findResourceWarnings,
} from './kubernetes-resource.js';

/** The state of reading a manifest. */
export class ManifestReader {
  readonly components: DesignComponent[] = [];
  readonly warnings: Fault[] = [];
  private readonly series = new ComponentSeries();
  private readonly first = new Map<string, LocatedResource>();

  constructor(readonly faults: FaultList) {}

  readDocument(document: LocatedDocument): readonly LocatedResource[] {
    for (const [pointer, tag] of Object.entries(document.data.tags)) {
      this.faults.add(
        locatedFault(document, pointer, `has the tag ${tag}, which a manifest cannot have`, 'Remove the tag.'),
      );
    }
    const { resources, faults } = readResources(document);
    for (const fault of faults) this.faults.add(fault);
    return resources;
  }

  /** Adds a resource as the next component; `mayRepeat` for those that do not exist at the same time, such as hooks. */
  addResource(item: LocatedResource, mayRepeat = false): DesignComponent {
    const faults = findResourceFaults(item);
    this.faults.add(...faults);
    for (const warning of findResourceWarnings(item)) this.warnings.push(warning);
    const component = this.series.add(item.resource);
    this.components.push(component);
    if (faults.length === 0 && !mayRepeat) this.checkDuplicate(item);
    return component;
  }

  private checkDuplicate({ document, pointer, resource }: LocatedResource): void {
    const name = asText(asObject(resource['metadata'])['name']);
    if (name === '') return;
    const identity = resourceIdentity(resource);
    const before = this.first.get(identity);
    if (!before) {
      this.first.set(identity, { document, pointer, resource });
      return;
    }
    const { line } = before.document.findPosition(before.pointer);
    const place = `${before.document.file === document.file ? '' : `${before.document.file}, `}line ${line}`;
    const detail = `is ${asText(resource['kind'])} ${name}, which is given already at ${place}`;
    this.faults.add(locatedFault(document, pointer, detail, 'Remove one of the two, or give it another name.'));
  }
}
