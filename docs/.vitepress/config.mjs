import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

const pages = join(import.meta.dirname, '..')

const inDepth = [
  ['Install', 'install'],
  ['Coding tools', 'tools'],
  ['Connections', 'connections'],
  ['Usage, forecast and alerts', 'usage'],
  ['Budgets', 'budgets'],
  ['Playground', 'playground'],
  ['Teams', 'team'],
  ['MCP server and status line', 'mcp'],
  ['Metrics', 'metrics'],
  ['Sandbox', 'sandbox'],
  ['Command line', 'command-line'],
]
const inside = [
  ['Architecture', 'architecture'],
  ['Contract of the services', 'contract'],
  ['Security', 'security'],
  ['Packaging and updates', 'packaging'],
  ['Electron', 'electron'],
  ['Adding a tool', 'adding-a-tool'],
  ['Platform operations', 'coverage'],
  ['Contributing', 'contributing'],
  ['Reporting a vulnerability', 'reporting'],
  ['Changelog', 'changelog'],
]
/** Pages of "In depth" that have a Vietnamese translation. */
const inVietnamese = [
  ['Công cụ lập trình', 'tools'],
  ['Mức sử dụng, dự báo và cảnh báo', 'usage'],
  ['Ngân sách', 'budgets'],
  ['Playground', 'playground'],
  ['Nhóm', 'team'],
  ['MCP server và dòng trạng thái', 'mcp'],
  ['Dòng lệnh', 'command-line'],
]
const guides = ['developer', 'team-lead', 'engineer', 'quota-watcher']

const links = (rows, prefix = '/') => rows.map(([text, path]) => ({ text, link: `${prefix}${path}` }))

/** Navigation and labels of one language. */
const language = ({ prefix, titles, guideNames, references, deep, more, words }) => ({
  nav: [
    { text: titles.guides, link: `${prefix}guide/developer`, activeMatch: '/guide/' },
    { text: titles.references, link: `${prefix}reference/failures`, activeMatch: '/reference/' },
  ],
  sidebar: [
    {
      text: titles.guides,
      items: links(
        guides.map((name, at) => [guideNames[at], name]),
        `${prefix}guide/`,
      ),
    },
    { text: titles.references, items: links(references, `${prefix}reference/`) },
    { text: titles.inDepth, items: links(deep, prefix), collapsed: false },
    { text: titles.inside, items: links(more, prefix), collapsed: true },
  ],
  ...words,
})

const english = language({
  prefix: '/',
  titles: { guides: 'Guides', references: 'Reference', inDepth: 'In depth', inside: 'Inside the app' },
  guideNames: ['For developers', 'For team leads', 'For engineers', 'For quota watchers'],
  references: [
    ['Failure codes', 'failures'],
    ['All commands', 'commands'],
  ],
  deep: inDepth,
  more: inside,
  words: { outline: { label: 'On this page', level: [2, 3] } },
})

const vietnamese = language({
  prefix: '/vi/',
  titles: {
    guides: 'Hướng dẫn',
    references: 'Tra cứu',
    inDepth: 'Chi tiết',
    inside: 'Trang tiếng Anh',
  },
  guideNames: ['Cho lập trình viên', 'Cho trưởng nhóm', 'Cho kỹ sư AI', 'Cho người theo dõi quota'],
  references: [
    ['Mã lỗi', 'failures'],
    ['Tất cả lệnh', 'commands'],
  ],
  deep: inVietnamese,
  more: [...inDepth.filter(([, page]) => !inVietnamese.some(([, known]) => known === page)), ...inside],
  words: {
    outline: { label: 'Trên trang này', level: [2, 3] },
    docFooter: { prev: 'Trang trước', next: 'Trang sau' },
    darkModeSwitchLabel: 'Giao diện',
    lightModeSwitchTitle: 'Chuyển sang giao diện sáng',
    darkModeSwitchTitle: 'Chuyển sang giao diện tối',
    sidebarMenuLabel: 'Mục lục',
    returnToTopLabel: 'Về đầu trang',
    langMenuLabel: 'Đổi ngôn ngữ',
    skipToContentLabel: 'Chuyển đến nội dung',
    notFound: {
      title: 'Không tìm thấy trang',
      quote: 'Liên kết này không còn, hoặc địa chỉ bị gõ sai.',
      linkText: 'Về trang chủ',
      linkLabel: 'Về trang chủ',
    },
  },
})

const searchWords = {
  button: { buttonText: 'Tìm kiếm', buttonAriaLabel: 'Tìm kiếm' },
  modal: {
    displayDetails: 'Hiện chi tiết',
    resetButtonTitle: 'Xóa từ khóa',
    backButtonTitle: 'Đóng',
    noResultsText: 'Không có kết quả cho',
    footer: { selectText: 'mở', navigateText: 'di chuyển', closeText: 'đóng' },
  },
}

/** Shows `NAME-dark.png` instead of `NAME.png` in the dark theme, if the file exists. */
function pictures(md) {
  const image = md.renderer.rules.image
  md.renderer.rules.image = (tokens, at, ...rest) => {
    const html = image(tokens, at, ...rest)
    const source = tokens[at].attrGet('src') ?? ''
    const dark = source.replace(/\.png$/, '-dark.png')
    const hasDark = existsSync(join(pages, dark.replace(/^.*?(?=images\/)/, '')))
    if (dark === source || !hasDark) return html
    const shownIn = (name, from) => from.replace('<img', `<img class="${name}"`)
    return shownIn('light-only', html) + shownIn('dark-only', html.replace(source, dark))
  }
}

/** Replaces Mermaid code blocks by a component that renders them in the browser. */
function diagrams(md) {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, at, ...rest) =>
    tokens[at].info.trim() === 'mermaid'
      ? `<Diagram code="${encodeURIComponent(tokens[at].content)}" />`
      : fence(tokens, at, ...rest)
}

export default defineConfig({
  title: 'Platform Companion',
  description: 'A desktop companion for prepaid token plans',
  cleanUrls: false,
  lastUpdated: false,
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  markdown: {
    // Keeps diacritics, like the repository host, so that links to Vietnamese headings work in both places.
    anchor: {
      slugify: (text) =>
        text
          .toLowerCase()
          .replace(/[^\p{L}\p{N} -]/gu, '')
          .replaceAll(' ', '-'),
    },
    config(md) {
      pictures(md)
      diagrams(md)
    },
  },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: english },
    vi: {
      label: 'Tiếng Việt',
      lang: 'vi',
      description: 'Ứng dụng desktop cho gói token trả trước',
      themeConfig: vietnamese,
    },
  },
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local', options: { locales: { vi: { translations: searchWords } } } },
  },
})
