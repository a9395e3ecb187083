export { AllOrNothing, ApplyBar, useApplyKey, WriteFailure } from './apply-bar'
export { BulkPreviewArea, LeftOut, LeftTools } from './bulk-changes'
export { KeyField, ModelField } from './choice-form'
export { changesNothing, FileChanges, LayoutToggle, useShown, Waiting } from './file-changes'
export { FirstTool } from './first-tool'
export {
  listSetups,
  readSite,
  setupKey,
  siteText,
  type ToolHere,
  toolAt,
  toolHere,
  userSite,
  useSiteWords,
  usesPlan,
} from './sites'
export {
  chooseKey,
  findWorkingKey,
  isModelCode,
  keyChoice,
  listRoutes,
  previewInput,
  readRoute,
  resolveToolForm,
} from './tool-form'
export { ToolMark, ToolStatusDot } from './tool-mark'
export {
  getToolState,
  getToolStatus,
  isHere,
  listTools,
  nextStep,
  setUpPath,
  standingWord,
  toolPath,
} from './tool-status'
export { ToolWarnings } from './tool-warnings'
export { useToolsStore } from './tools-store'
export { useConfigureThrough, useShowFile, useVerify } from './use-tool-actions'
