import type { EntityKey } from '#graph/model';
import { fittingKey } from '../../document/fitting-key.ts';
import { type Bill, BillBuilder, type Facts } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { componentName } from '../component-name.ts';
import { Vulnerabilities } from '../vulnerabilities.ts';

/** A package that a scanner has found. */
export interface FoundPackage {
  readonly reference: string;
  readonly purl: string | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly facts: Facts;
  readonly licences: readonly string[];
}

/** A scanned image or folder, with its type and key. */
export interface Artifact {
  readonly entity: EntityKey;
  /** Where in it a package was found. */
  readonly target: string | undefined;
}

/** Collects what a scanner reports: artifacts, which CONTAINS packages, which HAS vulnerabilities. */
export class ScanReport {
  readonly values = new BillValues();
  readonly builder = new BillBuilder(this.values, {
    referenceTo: 'package',
    isExternal: () => false,
  });
  readonly vulnerabilities = new Vulnerabilities(this.builder);

  finish(): Bill {
    this.vulnerabilities.emit();
    return this.builder.finish();
  }

  /** A folder, repository or file system. */
  addProject(name = 'unnamed', facts: Facts = {}): EntityKey {
    const project = { type: 'project', key: fittingKey(name) };
    this.builder.addEntity({ ...project, class: 'Project', properties: { name, ...facts } });
    return project;
  }

  /** Undefined for a package without a name, which is left out with a warning. */
  addPackage(found: FoundPackage, { entity, target }: Artifact, place: string): EntityKey | undefined {
    const { reference, purl, name: plainName, version, facts, licences } = found;
    const name = componentName({ purl, version, plainName, isSubject: false });
    if (name === undefined) {
      this.values.leaveOut(place, 'it has no name and is left out');
      return undefined;
    }
    const properties = { name: name.name, version: name.version, purl, ...facts };
    const component = { name, class: 'Package', properties, licences: { declared: licences, concluded: [] } };
    this.builder.addComponent(reference, component, place);
    this.builder.relate(entity, 'CONTAINS', name, { target });
    return name;
  }
}
