/** As much of a Markdown tree as is looked at here. */
export interface MarkdownNode {
  type: string
  value?: string
  label?: string | null
  identifier?: string
  children?: MarkdownNode[]
  data?: { hName?: string }
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined
}

const raised = (label: string): MarkdownNode => ({
  type: 'footnoteMark',
  data: { hName: 'sup' },
  children: [{ type: 'text', value: label }],
})

/** A text with its `[^1]` raised. */
function withMarks(text: string): MarkdownNode[] {
  const parts = text.split(/\[\^([^\]\s]{1,30})\]/)
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) return [raised(part)]
    return part === '' ? [] : [{ type: 'text', value: part }]
  })
}

function replaced(node: MarkdownNode): MarkdownNode[] {
  const label = node.label ?? node.identifier ?? ''
  if (node.type === 'footnoteReference') return [raised(label)]
  if (node.type === 'text' && node.value?.includes('[^')) return withMarks(node.value)
  withFootnotes(node)
  if (node.type !== 'footnoteDefinition') return [node]
  const [first, ...rest] = node.children ?? []
  const mark = [raised(label), { type: 'text', value: ' ' }]
  if (first?.type !== 'paragraph') return [{ type: 'paragraph', children: mark }, ...(node.children ?? [])]
  return [{ ...first, children: [...mark, ...(first.children ?? [])] }, ...rest]
}

/** Shows footnotes where they stand, with a raised mark and without links: their parts are in blocks that do not know of each other. */
export function withFootnotes(tree: MarkdownNode): void {
  if (tree.children) tree.children = tree.children.flatMap(replaced)
}
