import { lazy, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet, useLocation } from 'react-router'
import { useSession } from '../../session'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ErrorBoundary } from '../../ui/error-boundary'
import { Page } from '../../ui/page'
import { useReloadOnSwitch } from '../connections/use-connections'
import { Rail } from './rail'
import styles from './shell.module.css'
import { useShortcuts } from './use-shortcuts'

const loadPalette = async () => ({ default: (await import('../palette/palette')).Palette })
const Palette = lazy(loadPalette)
const RecoveryNotice = lazy(async () => ({ default: (await import('../history/recovery-notice')).RecoveryNotice }))
const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog')).ShortcutsDialog }))

/** Loads the palette once the window rests, so that what is typed right after opening it is not lost. */
function usePaletteAhead(): void {
  useEffect(() => {
    const id = requestIdleCallback(() => void loadPalette())
    return () => cancelIdleCallback(id)
  }, [])
}

/** After going somewhere, the title of the page has the focus, so that a screen reader says where one is. */
function useTitleFocus(pathname: string): void {
  const last = useRef(pathname)
  // Before a person can press anything on the new page: what takes the focus later closes a menu.
  useLayoutEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
  }, [pathname])
}

function Crashed({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const { t } = useTranslation('common')
  return (
    <Page>
      <Callout
        tone="danger"
        title={t('crash.title')}
        details={error.message}
        actions={
          <Button size="sm" onClick={retry}>
            {t('retry')}
          </Button>
        }
      >
        {t('crash.text')}
      </Callout>
    </Page>
  )
}

/** What opens over the pages; loaded when first asked for. */
function Overlays() {
  const { isPaletteOpen, isShortcutsOpen } = useSession()
  return (
    <Suspense fallback={null}>
      {isPaletteOpen ? <Palette /> : null}
      {isShortcutsOpen ? <ShortcutsDialog /> : null}
    </Suspense>
  )
}

/** The frame around the pages: rail, content, what opens over them, shortcuts. */
export function Shell() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  useShortcuts()
  useReloadOnSwitch()
  useTitleFocus(pathname)
  usePaletteAhead()
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        {t('skip')}
      </button>
      <Rail />
      <main ref={main} tabIndex={-1} className={styles.main}>
        <Suspense fallback={null}>
          <RecoveryNotice />
        </Suspense>
        <div className={styles.content}>
          <ErrorBoundary resetKey={pathname} fallback={(error, retry) => <Crashed error={error} retry={retry} />}>
            <Suspense fallback={null}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </div>
      </main>
      <Overlays />
    </div>
  )
}
