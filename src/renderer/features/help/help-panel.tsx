import type { ShortcutId } from '@shared/shortcuts'
import i18next from 'i18next'
import { BookOpen, CircleAlert, Footprints, Keyboard, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { matchPath, useLocation, useNavigate } from 'react-router'
import { isFailureCode } from '../../failures'
import type { en } from '../../i18n/en'
import { errorsPath, guidePath, newsPath, shortcutsPath } from '../../paths'
import { goOnTour, openHelp, useSession } from '../../session'
import { splitShortcut, useShortcuts } from '../../shortcuts'
import { Kbd } from '../../ui/code'
import { Sheet } from '../../ui/dialog'
import { FailureText } from './help-lists'

const t = i18next.getFixedT(null, ['help', 'shell'])

function PageKeys({ keys }: { readonly keys: NonNullable<PageHelp['keys']> }) {
  const shortcuts = useShortcuts()
  return (
    <section>
      <h3 className="mb-1">{t('help:onThisPage')}</h3>
      <dl>
        {keys.map((key) => (
          <div key={key} className="flex min-h-8 items-center justify-between gap-4">
            <dt>{key === 'find' || key === 'newChat' ? t(`shell:shortcuts.${key}`) : t(`help:keys.${key}`)}</dt>
            <dd>
              <Kbd keys={key === 'find' || key === 'newChat' ? splitShortcut(shortcuts[key]) : pageKeys[key]} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const line =
  'flex min-h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-left hover:bg-hover [&_svg]:text-muted -mx-2.5'

export function HelpPanel() {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const help = useSession((session) => session.help)
  const [page] = useState(() => document.title.split(' · ')[0])
  const code = help !== undefined && isFailureCode(help) ? help : undefined
  const pageHelp = findPageHelp(pathname)
  const close = (): void => openHelp(undefined)
  const guide = code ? undefined : pageHelp?.guide
  const links = [
    guide && {
      icon: BookOpen,
      label: t('readGuide', { guide: t(`guides.names.${guide}`) }),
      open: () => navigate(guidePath(guide)),
    },
    { icon: CircleAlert, label: t('tabs.errors'), open: () => navigate(errorsPath(code)) },
    { icon: Keyboard, label: t('tabs.shortcuts'), open: () => navigate(shortcutsPath) },
    { icon: Footprints, label: t('tour.take'), open: () => goOnTour(1) },
    { icon: Sparkles, label: t('tabs.news'), open: () => navigate(newsPath) },
  ].filter((link) => link !== undefined)
  return (
    <Sheet onClose={close} title={t('title')} description={code ?? page}>
      <div className="flex flex-col gap-5">
        {code ? <FailureText code={code} heading="h3" /> : pageHelp ? <p>{t(`pages.${pageHelp.id}`)}</p> : null}
        {pageHelp?.keys && !code ? <PageKeys keys={pageHelp.keys} /> : null}
        <ul className="border-t pt-2.5">
          {links.map(({ icon: Icon, label, open }) => (
            <li key={label}>
              <button
                type="button"
                className={line}
                onClick={() => {
                  close()
                  void open()
                }}
              >
                <Icon size={15} strokeWidth={1.75} />
                {label}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Sheet>
  )
}

type HelpTexts = (typeof en)['help']
export type GuideId = keyof HelpTexts['guides']['names']
type KeyHelp = keyof HelpTexts['keys']

const pageKeys: Readonly<Record<KeyHelp, readonly string[]>> = {
  apply: ['Mod', 'Enter'],
  run: ['Mod', 'Enter'],
  save: ['Mod', 'S'],
  undo: ['Mod', 'Z'],
  paste: ['Mod', 'V'],
  send: ['Enter'],
  newLine: ['Shift', 'Enter'],
  rows: ['↑', '↓'],
  openRow: ['Enter'],
}

interface PageHelp {
  readonly id: keyof HelpTexts['pages']
  readonly guide?: GuideId
  readonly keys?: readonly (KeyHelp | Extract<ShortcutId, 'find' | 'newChat'>)[]
}

const table = ['find', 'rows', 'openRow'] as const

/** Help content by the path pattern of a page, as in `main.tsx`. The first matching pattern is used. */
const pages: readonly (readonly [pattern: string, help: PageHelp])[] = [
  ['/', { id: 'home', guide: 'developer' }],
  ['/tools', { id: 'tools', guide: 'developer', keys: ['find'] }],
  ['/tools/set-up', { id: 'setUp', guide: 'developer', keys: ['apply'] }],
  ['/tools/mcp', { id: 'mcp', guide: 'developer' }],
  ['/tools/remove-all', { id: 'removeAll', guide: 'developer' }],
  ['/tools/:toolId', { id: 'tool', guide: 'developer', keys: ['apply'] }],
  ['/tools/:toolId/doctor', { id: 'doctor', guide: 'developer' }],
  ['/doctor', { id: 'doctor', guide: 'developer' }],
  ['/profiles/*', { id: 'profiles', guide: 'developer' }],
  ['/history/*', { id: 'history', guide: 'developer', keys: ['find'] }],
  ['/plans', { id: 'plans', guide: 'developer', keys: [...table] }],
  ['/plans/new', { id: 'newPlan', guide: 'developer', keys: ['paste'] }],
  ['/plans/packages/*', { id: 'packages', guide: 'team-lead' }],
  ['/plans/:planId', { id: 'plan', guide: 'developer' }],
  ['/usage', { id: 'usage', guide: 'quota-watcher' }],
  ['/usage/left', { id: 'left', guide: 'quota-watcher', keys: ['find'] }],
  ['/usage/burn-down', { id: 'burnDown', guide: 'quota-watcher' }],
  ['/usage/requests', { id: 'requests', guide: 'quota-watcher', keys: ['rows', 'openRow'] }],
  ['/usage/alerts', { id: 'alerts', guide: 'quota-watcher' }],
  ['/usage/budgets', { id: 'budgets', guide: 'quota-watcher' }],
  ['/usage/sources', { id: 'sources', guide: 'quota-watcher' }],
  ['/relay/*', { id: 'relay', guide: 'developer' }],
  ['/register/*', { id: 'keys', guide: 'team-lead', keys: [...table] }],
  ['/rotate/*', { id: 'rotate', guide: 'team-lead' }],
  ['/handout/open', { id: 'receive', guide: 'team-lead' }],
  ['/handout/*', { id: 'handout', guide: 'team-lead' }],
  ['/team', { id: 'team', guide: 'team-lead' }],
  ['/sandbox', { id: 'sandbox', guide: 'engineer' }],
  ['/playground/compare/*', { id: 'compare', guide: 'engineer', keys: ['run', 'undo'] }],
  ['/playground/prompts/*', { id: 'prompts', guide: 'engineer', keys: ['find', 'save'] }],
  ['/playground/completion', { id: 'completion', guide: 'engineer', keys: ['run'] }],
  ['/playground/embeddings', { id: 'embeddings', guide: 'engineer' }],
  ['/playground/*', { id: 'playground', guide: 'engineer', keys: ['newChat', 'send', 'newLine'] }],
  ['/memory/*', { id: 'memory', guide: 'engineer', keys: [...table] }],
  ['/runtimes/*', { id: 'runtimes', guide: 'engineer', keys: [...table] }],
  ['/registry/*', { id: 'registry', guide: 'engineer', keys: [...table] }],
  ['/identities/*', { id: 'identities', guide: 'engineer', keys: [...table] }],
  ['/models/*', { id: 'models', guide: 'engineer', keys: [...table] }],
  ['/connections', { id: 'connections', guide: 'developer' }],
  ['/settings', { id: 'settings', guide: 'developer' }],
  ['/help/*', { id: 'help' }],
]

export const findPageHelp = (pathname: string): PageHelp | undefined =>
  pages.find(([pattern]) => matchPath(pattern, pathname))?.[1]
