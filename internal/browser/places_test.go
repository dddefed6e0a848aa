package browser

import "testing"

// outOf shows which button was clicked, and in which row.
const outOf = `<output id=o aria-label=Out></output><script>document.querySelectorAll('button').forEach(b=>b.onclick=()=>o.textContent='done '+(b.closest('[data-n]')||b).dataset.n)</script>`

// TestRowPlaces names a row by a control or a text in it.
func TestRowPlaces(t *testing.T) {
	boxes := `<ul><li data-n=1><label><input type=checkbox> buy milk</label> <button>Delete</button><li data-n=2><label><input type=checkbox> buy bread</label> <button>Delete</button></ul>` + outOf
	labelled := `<ul><li data-n=1><input type=checkbox aria-label="buy milk"><span>buy milk</span> <button>Delete</button><li data-n=2><input type=checkbox aria-label="buy bread"><span>buy bread</span><button>Delete</button></ul>` + outOf
	table := `<table><tr><th>Name<th>Do<tr data-n=1><td><a href="#a">Ann</a><td><button>Edit</button><tr data-n=2><td><a href="#b">Bob</a><td><button>Edit</button></table>` + outOf
	nested := `<ul><li data-n=outer><b>Food</b> <button>Delete</button><ul><li data-n=inner><input type=checkbox aria-label=Tea> Tea</ul></ul>` + outOf
	nestedMilk := `<ul><li data-n=milk><input type=checkbox aria-label=milk> milk <button>Delete</button><ul><li data-n=sub>skimmed <button>Delete</button></ul></ul>` + outOf
	runCases(t, []pageCase{
		{"by its check box", boxes, `[{"click":"Delete","in":"buy bread"},{"see":"done 2"}]`, Pass, ""},
		{"by a box and a text of one name", labelled, `[{"click":"Delete","in":"buy milk"},{"see":"done 1"}]`, Pass, ""},
		{"by a box with its role", labelled, `[{"click":"Delete","in":"checkbox:buy bread"},{"see":"done 2"}]`, Pass, ""},
		{"by a text", `<div role=list><div role=listitem data-n=1><i>buy milk</i><button>Delete</button></div><div role=listitem data-n=2><i>buy bread</i><button>Delete</button></div></div>` + outOf, `[{"click":"Delete","in":"buy bread"},{"see":"done 2"}]`, Pass, ""},
		{"by a link in a table", table, `[{"click":"Edit","in":"Bob"},{"see":"done 2"}]`, Pass, ""},
		{"by a button of its own", `<article data-n=1><button>Show Ann</button><button>Edit</button></article><article data-n=2><button>Show Bob</button><button>Edit</button></article>` + outOf, `[{"click":"Edit","in":"Show Bob"},{"see":"done 2"}]`, Pass, ""},
		{"the row around its row", nested, `[{"click":"Delete","in":"Tea"},{"see":"done outer"}]`, Pass, ""},
		{"a row of its own in a row", nestedMilk, `[{"click":"Delete","in":"milk"},{"see":"done milk"}]`, Pass, ""},
		{"only the row in it has one", `<ul><li data-n=milk><input type=checkbox aria-label=milk> milk<ul><li data-n=sub>skimmed <button>Delete</button></ul></ul>` + outOf, `[{"click":"Delete","in":"milk","timeout":0.2},"see done"]`, Fail, "nothing visible is named"},
		{"only the row in it, by a text", `<ul><li data-n=milk><i>milk</i><ul><li data-n=sub>skimmed <button>Delete</button></ul></ul>` + outOf, `[{"click":"Delete","in":"milk","timeout":0.2},"see done"]`, Fail, "nothing visible is named"},
		{"only the row beside it has one", `<ul><li data-n=outer>Food<ul><li><input type=checkbox aria-label=milk> milk<li data-n=tea>tea <button>Delete</button></ul></ul>` + outOf, `[{"click":"Delete","in":"milk","timeout":0.2},"see done"]`, Fail, "nothing visible is named"},
		{"the row around, not the one beside", `<ul><li data-n=outer>Food <button>Delete</button><ul><li><input type=checkbox aria-label=milk> milk<li data-n=tea>tea <button>Delete</button></ul></ul>` + outOf, `[{"click":"Delete","in":"milk"},{"see":"done outer"}]`, Pass, ""},
		{"a box in a row of a row", `<ul><li><i>Food</i><ul><li><label><input type=checkbox id=c> Tea</label> <button>Delete</button></ul></ul><output id=o></output><script>c.onchange=()=>o.textContent='ticked'</script>`, `[{"check":"Tea","in":"Food"},{"see":"ticked"}]`, Pass, ""},
		{"a list of buttons in the row", `<ul><li data-n=1><input type=checkbox aria-label=milk> milk<ul><li><button>Edit</button><li><button data-n=x>Delete</button></ul></ul><script>document.querySelectorAll('button')[1].onclick=()=>o.textContent='done'</script><output id=o></output>`, `[{"click":"Delete","in":"milk"},{"see":"done"}]`, Pass, ""},
		{"a column of cards", `<ul><li><h3>Work</h3><ul><li data-n=card>Report <button>Delete</button></ul></ul>` + outOf, `[{"click":"Delete","in":"Work"},{"see":"done card"}]`, Pass, ""},
		{"a nearer row by a lesser name", `<ul><li data-n=outer>Food <button>Delete</button><ul><li data-n=inner><input type=checkbox aria-label=tea> tea <button>delete</button></ul></ul>` + outOf, `[{"click":"Delete","in":"tea"},{"see":"done inner"}]`, Pass, ""},
		{"two of a name in the row", `<ul><li data-n=1><label><input type=checkbox> buy milk</label> <button>Delete</button> <button>Delete</button></ul>` + outOf, `[{"click":"Delete","in":"buy milk"},"see done"]`, Unverified, `2 elements are named "Delete"`},
		{"two rows of a name", `<ul><li><label><input type=checkbox> tea</label> <button>Delete</button><li><label><input type=checkbox> tea</label> <button>Delete</button></ul>` + outOf, `[{"click":"Delete","in":"tea"},"see done"]`, Unverified, `2 elements are named "tea"`},
		{"not in the row", boxes + `<button>Clear all</button>`, `[{"click":"Clear all","in":"buy milk","timeout":0.2},"see done"]`, Fail, "nothing visible is named"},
		{"not in the section", `<article><h2>Shop</h2><section><h3>Cart</h3><p>nothing yet</p></section><button>Delete</button></article>` + outOf, `[{"click":"Delete","in":"Cart","timeout":0.2},"see done"]`, Fail, "nothing visible is named"},
		{"a box of the row", `<table><tr><th>Task<th>Done<tr data-n=1><td><button>Tea</button><td><input type=checkbox aria-label=Done><tr><td><button>Milk</button><td><input type=checkbox aria-label=Done></table><output id=o></output><script>document.querySelectorAll('input').forEach((b,i)=>b.onchange=()=>o.textContent='ticked '+i)</script>`, `[{"check":"Done","in":"Milk"},{"see":"ticked 1"}]`, Pass, ""},
		{"counted in a row", `<ul><li><label><input type=checkbox id=b> tea</label><ol id=l></ol><li><label><input type=checkbox> milk</label><ol><li>x</ol></ul><script>b.onchange=()=>l.innerHTML='<li>a<li>b'</script>`, `[{"check":"tea"},{"count":2,"of":"listitem","in":"checkbox:tea"}]`, Pass, ""},
	})
}

// TestRolePlaces names a place by its role, alone and with a name.
func TestRolePlaces(t *testing.T) {
	page := `<nav><button data-n=nav>Help</button><a href="#c">Cart</a></nav><main>` +
		`<section aria-labelledby=h data-n=cart><h2 id=h>Cart</h2><button>Help</button><p id=p></p></section>` +
		`<h2>Tasks</h2><ul data-n=tasks><li>Tea <button>Add</button><li>Green Tea <button>Add</button></ul><h2>Done</h2><ul data-n=done><li>Milk <button>Add</button></ul>` +
		`<table><tr><th>Name<th>Do<tr data-n=1><td>Tea<td><button>Edit</button><tr data-n=2><td>Green Tea<td><button>Edit</button></table>` +
		`<button id=ask>Ask</button></main><dialog id=d data-n=dialog><h3>Really?</h3><button>Help</button></dialog>`
	open := `<script>ask.onclick=()=>d.showModal()</script>`
	runCases(t, []pageCase{
		{"navigation", page + outOf, `[{"click":"Help","in":"navigation"},{"see":"done nav"}]`, Pass, ""},
		{"region and its heading", page + outOf, `[{"click":"Help","in":"Cart"},{"see":"done cart"}]`, Pass, ""},
		{"region by role", page + outOf, `[{"click":"Help","in":"region:Cart"},{"see":"done cart"}]`, Pass, ""},
		{"see in a region and its heading", page + outOf + `<script>setTimeout(()=>document.querySelector('section button').onclick=()=>p.textContent='3 things')</script>`, `[{"click":"Help","in":"region:Cart"},{"see":"3 things","in":"Cart"}]`, Pass, ""},
		{"region without a name", `<section data-n=a><h2>Cart</h2><button>Help</button></section><section data-n=b><h2>Shop</h2><button>Help</button></section>` + outOf, `[{"click":"Help","in":"region:Shop"},{"see":"done b"}]`, Pass, ""},
		{"heading outside of its region", `<h2 id=h>Cart</h2><section aria-labelledby=h data-n=a><button>Help</button></section><button>Help</button>` + outOf, `[{"click":"Help","in":"Cart"},{"see":"done a"}]`, Pass, ""},
		{"heading and link of a name", `<nav><a href="#c">Cart</a></nav><div data-n=a><h2>Cart</h2><button>Help</button></div><div><h2>Shop</h2><button>Help</button></div>` + outOf, `[{"click":"Help","in":"Cart"},{"see":"done a"}]`, Pass, ""},
		{"list under its heading", page + outOf, `[{"click":"Add","in":"list:Done"},{"see":"done done"}]`, Pass, ""},
		{"row by a cell", page + outOf, `[{"click":"Edit","in":"row:Tea"},{"see":"done 1"}]`, Pass, ""},
		{"row by a part of a cell", page + outOf, `[{"click":"Edit","in":"row:Green"},{"see":"done 2"}]`, Pass, ""},
		{"item by its text", page + outOf, `[{"click":"Add","in":"listitem:Green Tea"},{"see":"done tasks"}]`, Pass, ""},
		{"no such row", page + outOf, `[{"click":"Edit","in":"row:Coffee","timeout":0.2},"see done"]`, Fail, `nothing visible is named "row:Coffee"`},
		{"two rows", page + outOf, `[{"click":"Edit","in":"row:Name","timeout":0.2},"see done"]`, Fail, `nothing visible is named "Edit"`},
		{"the dialog", page + outOf + open, `["click Ask",{"click":"Help","in":"dialog"},{"see":"done dialog"}]`, Pass, ""},
		{"see in the dialog", page + outOf + open, `["click Ask",{"see":"Really?","in":"dialog"}]`, Pass, ""},
		{"the dialog by its title", page + outOf + open, `["click Ask",{"click":"Help","in":"dialog:Really?"},{"see":"done dialog"}]`, Pass, ""},
		{"a dialog that is closed", page + outOf, `["click Ask",{"see":"Really?","in":"dialog","timeout":0.2}]`, Fail, `nothing visible is named "dialog"`},
		{"two lists", page + outOf, `[{"click":"Add","in":"list","timeout":0.2},"see done"]`, Unverified, `2 elements are named "list"`},
		{"a table without headers", `<table><tr data-n=1><td>Tea<td><button>Edit</button><tr data-n=2><td>Milk<td><button>Edit</button></table>` + outOf, `[{"click":"Edit","in":"row:Milk"},{"see":"done 2"}]`, Pass, ""},
		{"a name with a colon", `<p>List: A</p><div role=group aria-label="Menu: B"><button data-n=m>Go</button></div><button>Go</button>` + outOf, `[{"click":"Go","in":"Menu: B"},{"see":"done m"}]`, Pass, ""},
	})
}
