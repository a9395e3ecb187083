import { joinPath, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestAddressFor } from '../../core/net/address'
import type { GuidedTarget } from '../target'
import { settingsFolder } from './shared'

const apiStandard = 'chat-completions'

/**
 * Cursor: can only be configured in its settings window. Cursor's servers send the requests, and get the key with
 * each of them.
 */
export const cursor: GuidedTarget = {
  kind: 'guided',
  id: 'cursor',
  name: 'Cursor',
  standard: apiStandard,
  executables: ['cursor'],
  markers: cursorMarkers,
  install: { url: 'https://cursor.com/downloads' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Cursor Settings', 'Models', 'API Keys'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, apiStandard),
  isRemote: true,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'OpenAI API Key', isKey: true },
    { label: 'Override OpenAI Base URL', value: baseAddress(gatewayUrl, apiStandard) },
    { label: 'Add or search model', value: modelCode },
  ],
}

function cursorMarkers(env: ToolEnvironment): string[] {
  const data = joinPath(env, settingsFolder(env), 'Cursor')
  return env.platform === 'darwin' ? ['/Applications/Cursor.app', data] : [data]
}

/**
 * JetBrains AI Assistant: can only be configured in its form. The IDE's password store stores the key. Each entry has
 * one model.
 */
export const jetBrains: GuidedTarget = {
  kind: 'guided',
  id: 'jetbrains',
  name: 'JetBrains AI Assistant',
  standard: apiStandard,
  executables: [],
  markers: (env) => [joinPath(env, settingsFolder(env), 'JetBrains')],
  install: { url: 'https://www.jetbrains.com/help/ai-assistant/installation-guide-ai-assistant.html' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Settings', 'Tools', 'AI Assistant', 'Providers & API keys'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, apiStandard),
  isRemote: false,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'Provider', value: 'OpenAI-compatible' },
    { label: 'Base URL', value: baseAddress(gatewayUrl, apiStandard) },
    { label: 'API Key', isKey: true },
    { label: 'Model', value: modelCode },
  ],
}

const ROO_EXTENSION = 'rooveterinaryinc.roo-cline'
const rooEditors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']

/**
 * Roo Code extension: can only be configured in its form. The editor's secret storage stores the key. Cline's
 * extension has the same form.
 */
export const roo: GuidedTarget = {
  kind: 'guided',
  id: 'roo',
  name: 'Roo Code',
  standard: apiStandard,
  executables: [],
  markers: (env) =>
    rooEditors.map((editor) => joinPath(env, settingsFolder(env), editor, 'User', 'globalStorage', ROO_EXTENSION)),
  install: { url: 'https://marketplace.visualstudio.com/items?itemName=RooVeterinaryInc.roo-cline' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Roo Code', 'Settings', 'Providers'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, apiStandard),
  isRemote: false,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'API Provider', value: 'OpenAI Compatible' },
    { label: 'Base URL', value: baseAddress(gatewayUrl, apiStandard) },
    { label: 'API Key', isKey: true },
    { label: 'Model', value: modelCode },
  ],
}

/**
 * Cherry Studio: can only be configured in its form. It appends `/v1/chat/completions` unless the host ends with `/`
 * or `#`, so enter the gateway's root URL.
 */
export const cherryStudio: GuidedTarget = {
  kind: 'guided',
  id: 'cherry-studio',
  name: 'Cherry Studio',
  standard: apiStandard,
  executables: [],
  markers: cherryStudioMarkers,
  install: { url: 'https://www.cherry-ai.com/download' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Settings', 'Model Provider', 'Add'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, apiStandard),
  isRemote: false,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'Provider Name', value: 'Platform Companion' },
    { label: 'Provider Type', value: 'OpenAI' },
    { label: 'API Key', isKey: true },
    { label: 'API Host', value: gatewayUrl },
    { label: 'Model ID', value: modelCode },
  ],
}

function cherryStudioMarkers(env: ToolEnvironment): string[] {
  const data = joinPath(env, settingsFolder(env), 'CherryStudio')
  return env.platform === 'darwin' ? ['/Applications/Cherry Studio.app', data] : [data]
}
