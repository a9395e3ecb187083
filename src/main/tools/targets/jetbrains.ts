import { baseAddress, requestAddressFor } from '../../gateway/address'
import { joinPath } from '../environment'
import type { GuidedTarget } from '../target'
import { settingsFolder } from './shared'

const standard = 'chat-completions'

/** AI Assistant in JetBrains IDEs: its form only; the key goes to the IDE's password store. It lists one model an entry. */
export const jetBrains: GuidedTarget = {
  kind: 'guided',
  id: 'jetbrains',
  name: 'JetBrains AI Assistant',
  standard,
  executables: [],
  markers: (env) => [joinPath(env, settingsFolder(env), 'JetBrains')],
  install: { url: 'https://www.jetbrains.com/help/ai-assistant/installation-guide-ai-assistant.html' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Settings', 'Tools', 'AI Assistant', 'Providers & API keys'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, standard),
  isRemote: false,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'Provider', value: 'OpenAI-compatible' },
    { label: 'Base URL', value: baseAddress(gatewayUrl, standard) },
    { label: 'API Key', isKey: true },
    { label: 'Model', value: modelCode },
  ],
}
