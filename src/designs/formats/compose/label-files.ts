import { toPointer } from '../../../formats/documents/located-document.js';
import { type ComposeFiles } from './compose-files.js';
import { parseDotenv } from './dotenv.js';
import { type ComposeProject, toService } from './project.js';

/** Adds the labels of `label_file` to each service; its own labels win. */
export function addLabelFiles(project: ComposeProject, files: ComposeFiles): void {
  for (const [name, definition] of project.services) {
    const paths = toService(definition).label_file ?? [];
    for (const [index, path] of [...paths].reverse().entries()) {
      const source = files.file(path);
      if (!source) {
        const at = toPointer('services', name, 'label_file', paths.length - 1 - index);
        const detail = `${path.slice(0, 200)} is not part of the import; its labels are missing`;
        files.warnings.add(project.fault(at, detail, 'Import an archive that holds it.'));
        continue;
      }
      const { values, faults } = parseDotenv(source, { inherited: project.variables });
      files.faults.add(...faults);
      definition.labels = { ...Object.fromEntries(values), ...toService(definition).labels };
    }
  }
}
