import type { SettingsView } from '@shared/contract'
import {
  type FirstScreenData,
  frameName,
  homeName,
  maxHomePlans,
  type RailForm,
  welcomeName,
} from '@shared/first-screen'
import { defaultZoom } from '@shared/shortcuts'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter, Route, Routes } from 'react-router'
import { HomePage } from './features/home/home-page'
import { WelcomePage } from './features/home/welcome/onboarding'
import { startI18n } from './i18n'
import { callKey, createQueries } from './ipc'
import { Shell } from './main'
import { PageStartContext } from './settings'
import { TooltipProvider } from './ui/tooltip'

/** Whether the media query for a narrow window matches during rendering at build time. */
let isWindowNarrow = false

/** Renders the first screens at build time, in their state before the main process has responded. */
async function renderFirstScreens(): Promise<Record<string, string>> {
  const screens: Record<string, string> = {}
  for (const locale of ['en', 'vi'] as const) {
    await startI18n(locale)
    screens[welcomeName(locale)] = renderScreen(createPageStart(locale), <WelcomePage />)
    for (const connections of [0, 1]) {
      for (const rail of ['wide', 'collapsed', 'narrow'] as const) {
        isWindowNarrow = rail === 'narrow'
        screens[frameName(locale, rail, connections > 0)] = renderScreen(
          createPageStart(locale, { rail, connections }),
          <FirstScreenRoutes />,
        )
      }
      for (let plans = 0; plans <= maxHomePlans; plans += 1) {
        const startData = createPageStart(locale, { plans, connections })
        screens[homeName(locale, startData)] = renderScreen(startData, <HomePage />)
      }
    }
  }
  return screens
}

const createPageStart = (
  locale: SettingsView['locale'],
  { rail = 'wide' as RailForm, plans = 0, connections = 0 } = {},
): FirstScreenData => ({
  plans,
  connections,
  view: {
    theme: 'system',
    language: locale,
    locale,
    zoomPercent: defaultZoom,
    welcomed: true,
    railCollapsed: rail === 'collapsed',
  },
})

/** Layout with an empty page. */
const FirstScreenRoutes = () => (
  <Routes>
    <Route element={<Shell />}>
      <Route index element={<i />} />
    </Route>
  </Routes>
)

function renderScreen(start: FirstScreenData, screen: ReactNode): string {
  const queries = createQueries()
  queries.setQueryData(callKey('settings.get', {}), start.view)
  const screenHtml = renderToStaticMarkup(
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <MemoryRouter>
          <PageStartContext value={start}>{screen}</PageStartContext>
        </MemoryRouter>
      </TooltipProvider>
    </QueryClientProvider>,
  )
  // Remove the rendered title, because the HTML template already has one.
  return screenHtml.replace(/<title>.*?<\/title>/, '')
}

/** Minimal globals for rendering at build time. */
Object.assign(globalThis, { window: { matchMedia: () => ({ matches: isWindowNarrow }) } })
export const prerenderedScreens = await renderFirstScreens()
Reflect.deleteProperty(globalThis, 'window')
