import { BookOpen, CircleAlert, Footprints, Keyboard, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { isFailureCode } from '../../failures'
import { errorsPath, guidePath, newsPath, shortcutsPath } from '../../paths'
import { goOnTour, openHelp, useSession } from '../../session'
import { splitShortcut, useShortcuts } from '../../shortcuts'
import { Kbd } from '../../ui/code'
import { Sheet } from '../../ui/dialog'
import { FailureText } from './failure-list'
import { findPageHelp, type PageHelp, pageKeys } from './page-help'

function PageKeys({ keys }: { readonly keys: NonNullable<PageHelp['keys']> }) {
  const { t } = useTranslation(['help', 'shell'])
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
  const { t } = useTranslation('help')
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
                <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
                {label}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Sheet>
  )
}
