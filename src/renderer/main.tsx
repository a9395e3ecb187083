import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import type { SettingsView } from '@shared/contract'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { startI18n } from './i18n'
import { call, callKey, createQueries } from './ipc'

/** The settings as main put them into the page's address, so that the first paint need not wait for an answer. */
function settingsInAddress(): SettingsView | undefined {
  // They are those of when the window was opened; a page that is loaded again (View, Reload) asks for today's.
  if (performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'reload'))
    return undefined
  const given = new URLSearchParams(location.search).get('settings')
  return given === null ? undefined : JSON.parse(given)
}

/** Reads the settings first (language and theme of the very first paint), then renders. */
async function start(root: HTMLElement): Promise<void> {
  const queries = createQueries()
  const settings = settingsInAddress() ?? (await call('settings.get', {}).catch(() => undefined))
  if (settings) {
    queries.setQueryData(callKey('settings.get', {}), settings)
    if (settings.theme !== 'system') document.documentElement.dataset.theme = settings.theme
  }
  await startI18n(settings?.locale ?? (navigator.language.startsWith('vi') ? 'vi' : 'en'))
  createRoot(root).render(
    <StrictMode>
      <App queries={queries} />
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (root) void start(root)
