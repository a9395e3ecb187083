import type { palette as english } from '../en/palette'
import type { Translation } from '../texts'

/** Words of the command palette, in Vietnamese. */
export const palette: Translation<typeof english> = {
  title: 'Bảng lệnh',
  placeholder: 'Đến một trang, cấu hình công cụ, kiểm tra gói…',
  empty: 'Không có gì mang tên đó.',
  groups: {
    go: 'Đi đến',
    tools: 'Công cụ',
    plans: 'Gói token',
    connections: 'Kết nối',
    window: 'Cửa sổ',
  },
  configure: 'Cấu hình {{tool}}',
  switchProfile: 'Chuyển sang hồ sơ {{profile}}',
  history: 'Lịch sử những gì đã ghi',
  examine: 'Chẩn đoán công cụ',
  addPlan: 'Thêm gói',
  addConnection: 'Thêm kết nối',
  switchTo: 'Chuyển sang {{connection}}',
  openConnection: 'Mở {{connection}}',
  testConnection: 'Kiểm tra {{connection}}',
  usePlan: 'Cấu hình công cụ bằng {{plan}}',
  planUsed: 'Từ nay công cụ được cấu hình bằng {{plan}}',
  checkPlan: 'Kiểm tra {{plan}}',
  openPlan: 'Mở {{plan}}',
  copyGateway: 'Sao chép địa chỉ gateway của {{plan}}',
  gatewayCopied: 'Đã sao chép địa chỉ gateway',
  planAnswers: '{{plan}} đã trả lời sau {{time}}',
  planFails: '{{plan}}: {{title}}',
  look: 'Xem',
  theme: 'Chủ đề: {{name}}',
  language: 'Ngôn ngữ: {{name}}',
  shortcuts: 'Phím tắt',
  checking: 'Đang kiểm tra {{plan}}…',
}
