import { checkDocumentDirty } from './check-document-dirty.ts';
import { closeAllDiffTabs } from './close-all-diff-tabs.ts';
import { closeTab } from './close-tab.ts';
import { executeCode } from './execute-code.ts';
import { getCurrentSelection } from './get-current-selection.ts';
import { getDiagnostics } from './get-diagnostics.ts';
import { getLatestSelection } from './get-latest-selection.ts';
import { getOpenEditors } from './get-open-editors.ts';
import { getWorkspaceFolders } from './get-workspace-folders.ts';
import { openDiff } from './open-diff.ts';
import { openFile } from './open-file.ts';
import { saveDocument } from './save-document.ts';
import type { Tool } from './tool.ts';

/** The twelve tools of the IDE protocol, in the order of its description. */
export const ideTools: readonly Tool[] = [
  openFile,
  openDiff,
  getCurrentSelection,
  getLatestSelection,
  getOpenEditors,
  getWorkspaceFolders,
  getDiagnostics,
  checkDocumentDirty,
  saveDocument,
  closeTab,
  closeAllDiffTabs,
  executeCode,
];
