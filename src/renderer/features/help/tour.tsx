import i18next from 'i18next'
import { Sparkles } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { newsPath } from '../../paths'
import { goOnTour, useSession } from '../../session'
import { useSettings, useUpdateSettings } from '../../settings'
import { splitShortcut, useShortcuts } from '../../shortcuts'
import { type Actions, renderActions } from '../../ui/button'
import { keyName } from '../../ui/code'

const t = i18next.getFixedT(null, 'help')

const points = [
  ['plans', '/plans'],
  ['tools', '/tools'],
  ['usage', '/usage'],
  ['playground', '/playground'],
  ['find', '/'],
] as const

/** Notice bar above the page. Escape closes it while the focus is inside. */
function TourStrip(props: {
  readonly label: string
  readonly children: ReactNode
  readonly actions: Actions
  readonly onDismiss: () => void
}) {
  const { label, children, actions, onDismiss } = props
  return (
    <section
      aria-label={label}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-accent-line border-b bg-accent-soft px-5 py-2.5"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDismiss()
      }}
    >
      <Sparkles size={16} strokeWidth={1.8} className="text-accent-text" />
      <div className="min-w-0 flex-[1_1_320px]">{children}</div>
      <div className="ml-auto flex items-center gap-2">{renderActions(actions, 'sm')}</div>
    </section>
  )
}

/** Guided tour of the navigation rail, offered after the first-run screen. */
export function Tour() {
  const step = useSession(({ tourStep = 0 }) => tourStep)
  const { palette, help } = useShortcuts()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const nextButton = useRef<HTMLButtonElement>(null)
  const text = useId()
  const [point, path] = points[step - 1] ?? []
  useEffect(() => {
    if (path !== undefined) void navigate(path)
  }, [path, navigate])
  useEffect(() => {
    // After navigation, a page title normally takes the focus. During the tour, the tour's button takes it back.
    if (pathname === path) nextButton.current?.focus()
  }, [pathname, path])
  const endTour = (): void => {
    goOnTour(undefined)
    document.querySelector<HTMLElement>('[data-page-title]')?.focus()
  }
  const isLast = step === points.length
  return (
    <TourStrip
      label={t('tour.title')}
      onDismiss={endTour}
      actions={[
        !isLast && { label: t('tour.skip'), variant: 'ghost', onClick: endTour },
        step > 1 && { label: t('tour.back'), onClick: () => goOnTour(step - 1) },
        {
          label: t(step === 0 ? 'tour.start' : isLast ? 'tour.done' : 'tour.next'),
          ref: nextButton,
          variant: 'primary',
          'aria-describedby': text,
          onClick: () => (isLast ? endTour() : goOnTour(step + 1)),
        },
      ]}
    >
      <p id={text}>
        {point === undefined ? (
          t('tour.offer')
        ) : (
          <>
            <span className="mr-2 text-muted tabular-nums">{t('tour.at', { at: step, count: points.length })}</span>
            {t(`tour.points.${point}`, { palette: splitShortcut(palette).map(keyName).join('+'), help })}
          </>
        )}
      </p>
    </TourStrip>
  )
}

/** Notice that the app was updated, with a link to the news. Shown once per update. */
export function NewsStrip() {
  const update = useUpdateSettings()
  const { newsSeen } = useSettings()
  const { data: app } = useCall('app.get', {})
  if (app === undefined || newsSeen === undefined || newsSeen === app.version) return null
  const answer = (): void => void update({ newsSeen: app.version }).catch(() => undefined)
  return (
    <TourStrip
      label={t('tabs.news')}
      onDismiss={answer}
      actions={[
        { label: t('news.dismiss'), variant: 'ghost', onClick: answer },
        { label: t('tabs.news'), to: newsPath, onClick: answer },
      ]}
    >
      <p>{t('news.updated', { version: app.version })}</p>
    </TourStrip>
  )
}
