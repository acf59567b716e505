import { Column, ViewEntity } from 'typeorm';
import { Design } from './design.entity.js';

/** A design as published in the catalog: in the published version, under the name that it had then. */
@ViewEntity({ name: 'published_design', synchronize: false })
export class PublishedDesign extends Design {
  /** Lower-case names: those given by the publisher, and the models of its components. */
  @Column('text', { array: true })
  technologies!: string[];

  override get visibleVersions(): [first: number, last: number] {
    return [this.versionNumber, this.versionNumber];
  }
}
