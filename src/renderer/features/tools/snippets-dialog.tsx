import type { MethodInput, Snippet } from '@shared/contract'
import i18next from 'i18next'
import { useState } from 'react'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { QuietCode } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { SkeletonLines } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'

const t = i18next.getFixedT(null, 'snippets')

const kindOrder: readonly Snippet['kind'][] = ['file', 'shell', 'powershell', 'devcontainer', 'ci']

function SnippetText({ snippet }: { readonly snippet: Snippet }) {
  const { kind, path, text } = snippet
  return (
    <section className="overflow-clip rounded-lg border" aria-label={path ?? t(`kinds.${kind}`)}>
      <header className="flex min-h-10 items-center justify-between gap-3 border-b bg-well py-0.5 pr-1.5 pl-3">
        <span className="min-w-0 text-muted text-sm">
          {path === undefined ? (
            t(`where.${kind}`)
          ) : (
            <>
              {t('into')} <QuietCode wrap>{path}</QuietCode>
            </>
          )}
        </span>
        <CopyText text={text} label={t('copy')} size="md" />
      </header>
      <pre className="select-text whitespace-pre-wrap wrap-anywhere px-3 py-2.5 leading-[1.55]">{text}</pre>
    </section>
  )
}

function Snippets({ snippets }: { readonly snippets: readonly Snippet[] }) {
  const [chosen, setChosen] = useState<Snippet['kind']>()
  const availableKinds = kindOrder.filter((kind) => snippets.some((snippet) => snippet.kind === kind))
  const [firstKind] = availableKinds
  if (firstKind === undefined) return <p className="text-muted">{t('none')}</p>
  return (
    <Tabs
      label={t('title')}
      value={chosen ?? firstKind}
      onValueChange={setChosen}
      tabs={availableKinds.map((kind) => ({
        value: kind,
        label: t(`kinds.${kind}`),
        content: (
          <div className="flex flex-col gap-3 pt-3">
            {snippets
              .filter((snippet) => snippet.kind === kind)
              .map((snippet) => (
                <SnippetText key={`${snippet.path ?? ''}${snippet.text}`} snippet={snippet} />
              ))}
          </div>
        ),
      }))}
    />
  )
}

/** Configuration to copy, with a variable in place of the key. */
export function SnippetsDialog(props: {
  readonly choice: MethodInput<'tools.snippets'>
  readonly onClose: () => void
}) {
  const { choice, onClose } = props
  const query = useCall('tools.snippets', choice, { staleTime: 0 })
  return (
    <Dialog size="lg" onClose={onClose} title={t('title')} description={t('text')}>
      <Loaded query={query} skeleton={<SkeletonLines widths={[38, 82, 70, 90, 56]} className="py-1" />}>
        {(snippets) => <Snippets snippets={snippets} />}
      </Loaded>
    </Dialog>
  )
}
