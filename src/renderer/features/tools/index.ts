export { AllOrNothing, ApplyBar, useApplyKey, WriteFailure } from './apply-bar'
export { BulkPreviewArea, SkippedItem, SkippedTools } from './bulk-changes'
export { KeyField, ModelField } from './choice-form'
export { ChangesSkeleton, changesNothing, FileChanges, LayoutToggle, usePreview } from './file-changes'
export { FirstTool } from './first-tool'
export {
  formatSiteKey,
  listSetups,
  readSite,
  type SiteTool,
  setupKey,
  toSiteTool,
  toToolLocation,
  useFormatSite,
  userSite,
  usesPlan,
} from './sites'
export { SwitchModelButton } from './switch-model'
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
export { useConfigureThrough, useOtherModelPath, useShowFile, useVerify } from './use-tool-actions'
