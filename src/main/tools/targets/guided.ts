import { joinPath, type ToolEnvironment } from '../../core/environment'
import type { GuidedTarget } from '../target'
import { chatAddress, chatEndpoint, settingsFolder } from './shared'

/** Fields that most guided tools have in common. */
const chatForm = {
  kind: 'guided',
  standard: 'chat-completions',
  executables: [],
  sites: ['user'],
  evidence: { kind: 'docs' },
  requestAddress: chatEndpoint,
  isRemote: false,
} satisfies Partial<GuidedTarget>

/** Fields of a form for an OpenAI-compatible provider, which the first field selects. */
const openAiFields =
  (provider: { readonly label: string; readonly value: string }): GuidedTarget['fields'] =>
  ({ gatewayUrl, modelCode }) => [
    provider,
    { label: 'Base URL', value: chatAddress(gatewayUrl) },
    { label: 'API Key', isKey: true },
    { label: 'Model', value: modelCode },
  ]

/** Folder of a desktop program's data, and its app on macOS. */
const appMarkers = (app: string, dataFolder: string) => (env: ToolEnvironment) => {
  const data = joinPath(env, settingsFolder(env), dataFolder)
  return env.platform === 'darwin' ? [`/Applications/${app}.app`, data] : [data]
}

/** Cursor: can only be configured in its settings window. Its servers send the requests and get the key with each. */
export const cursor: GuidedTarget = {
  ...chatForm,
  id: 'cursor',
  name: 'Cursor',
  executables: ['cursor'],
  markers: appMarkers('Cursor', 'Cursor'),
  install: { url: 'https://cursor.com/downloads' },
  place: ['Cursor Settings', 'Models', 'API Keys'],
  isRemote: true,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'OpenAI API Key', isKey: true },
    { label: 'Override OpenAI Base URL', value: chatAddress(gatewayUrl) },
    { label: 'Add or search model', value: modelCode },
  ],
}

/** JetBrains AI Assistant: can only be configured in its form. The IDE's password store has the key. */
export const jetBrains: GuidedTarget = {
  ...chatForm,
  id: 'jetbrains',
  name: 'JetBrains AI Assistant',
  markers: (env) => [joinPath(env, settingsFolder(env), 'JetBrains')],
  install: { url: 'https://www.jetbrains.com/help/ai-assistant/installation-guide-ai-assistant.html' },
  place: ['Settings', 'Tools', 'AI Assistant', 'Providers & API keys'],
  fields: openAiFields({ label: 'Provider', value: 'OpenAI-compatible' }),
}

const ROO_EXTENSION = 'rooveterinaryinc.roo-cline'
const rooEditors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']

/** Roo Code: can only be configured in its form. The editor's secret storage has the key. Cline's form is the same. */
export const roo: GuidedTarget = {
  ...chatForm,
  id: 'roo',
  name: 'Roo Code',
  markers: (env) =>
    rooEditors.map((editor) => joinPath(env, settingsFolder(env), editor, 'User', 'globalStorage', ROO_EXTENSION)),
  install: { url: 'https://marketplace.visualstudio.com/items?itemName=RooVeterinaryInc.roo-cline' },
  place: ['Roo Code', 'Settings', 'Providers'],
  fields: openAiFields({ label: 'API Provider', value: 'OpenAI Compatible' }),
}

/** Cherry Studio: has only a form. It appends `/v1/chat/completions` unless the host ends with `/` or `#`. */
export const cherryStudio: GuidedTarget = {
  ...chatForm,
  id: 'cherry-studio',
  name: 'Cherry Studio',
  markers: appMarkers('Cherry Studio', 'CherryStudio'),
  install: { url: 'https://www.cherry-ai.com/download' },
  place: ['Settings', 'Model Provider', 'Add'],
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'Provider Name', value: 'Platform Companion' },
    { label: 'Provider Type', value: 'OpenAI' },
    { label: 'API Key', isKey: true },
    { label: 'API Host', value: gatewayUrl },
    { label: 'Model ID', value: modelCode },
  ],
}
