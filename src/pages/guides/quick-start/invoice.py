invoice = post("/invoices", {
    "customer_id": customer["id"],
    "invoice_date": "2026-01-31",
    "status": "issued",  # it gets its number at once; without this, it is a draft
    "items": [
        {"title": "Layout", "quantity": 4.5, "unit": "h", "unit_price_net": 85, "vat_rate": 19},
        {"title": "Menu cards", "quantity": 250, "unit": "pcs", "unit_price_net": 0.4199, "vat_rate": 7},
    ],
})
