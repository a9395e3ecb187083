export { AllOrNothing, ApplyBar, WriteFailure } from './apply-bar'
export { BulkPreviewArea, SkippedTools } from './bulk-changes'
export { KeyField, ModelField, PlanField } from './choice-form'
export { ChangesSkeleton, FileChanges, LayoutToggle, usePreview } from './file-changes'
export { FirstToolSuggestion } from './first-tool'
export {
  findToolName,
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
export { ToolInitials, ToolStatusDot } from './tool-mark'
export {
  getToolState,
  getToolStatus,
  getToolStatusKind,
  isOnComputer,
  listTools,
  nextStep,
  setUpPath,
  toolPath,
} from './tool-status'
export { ToolWarnings } from './tool-warnings'
export { useToolsStore } from './tools-store'
export { useOpenConfigureRoute, useOtherModelPath, useShowFile } from './use-tool-actions'
export { useVerifications, useVerifyTool } from './verifications'
